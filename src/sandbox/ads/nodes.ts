import { dayMs, dayOf } from "../../kernel/instants.ts";
import { decimalOf, type Money, moneyOf } from "../../kernel/money.ts";
import { fieldsIn } from "../core/input.ts";
import { badParameter } from "../graph/graph.ts";
import type { SandboxAd, SandboxAdAccount, SandboxAdCampaign, SandboxAdSet } from "./settings.ts";

/** An object of the platform and the fields that can be read. */
export interface Node {
  readonly id: string;
  readonly type: string;
  readonly scalars: Readonly<Record<string, unknown>>;
  /** Lists of other objects. */
  readonly edges: Readonly<Record<string, readonly Node[]>>;
  /** Single objects. */
  readonly links: Readonly<Record<string, () => Node>>;
  readonly insights: Insights | null;
}

export interface Insights {
  readonly account: SandboxAdAccount;
  readonly ads: readonly SandboxAd[];
}

/** The objects of an account, the account itself first. */
export function nodesOf(account: SandboxAdAccount): Node[] {
  const campaigns = (account.campaigns ?? []).map((campaign) => campaignNode(account, campaign));
  const adsets = campaigns.flatMap(({ edges }) => edges.adsets ?? []);
  const ads = campaigns.flatMap(({ edges }) => edges.ads ?? []);
  const root: Node = {
    id: account.accountId,
    type: "AdAccount",
    scalars: {
      id: account.accountId,
      account_id: account.accountId.replace(/^act_/, ""),
      name: account.name,
      currency: account.currency,
      account_status: account.status ?? 1,
      timezone_name: account.timezone ?? "UTC",
    },
    edges: { campaigns, adsets, ads },
    links: {},
    insights: { account, ads: (account.campaigns ?? []).flatMap(adsOf) },
  };
  return [root, ...campaigns, ...adsets, ...ads];
}

const adsOf = ({ adSets }: SandboxAdCampaign): SandboxAd[] => adSets.flatMap(({ ads }) => ads);

function campaignNode(account: SandboxAdAccount, source: SandboxAdCampaign): Node {
  const { status = "ACTIVE" } = source;
  const states = { status, effective_status: status };

  function adSetNode({ id, name, ads }: SandboxAdSet): Node {
    const node: Node = {
      id,
      type: "AdSet",
      scalars: { id, name, ...states, campaign_id: source.id },
      edges: { ads: ads.map((ad) => adNode(ad, () => node)) },
      links: { campaign: () => campaign },
      insights: { account, ads },
    };
    return node;
  }

  function adNode(ad: SandboxAd, adset: () => Node): Node {
    const { id, name, sourceAdId = "0", thumbnailUrl, imageUrl } = ad;
    const creative: Node = {
      id: `9${id}`,
      type: "AdCreative",
      scalars: { id: `9${id}`, name, thumbnail_url: thumbnailUrl, image_url: imageUrl },
      edges: {},
      links: {},
      insights: null,
    };
    return {
      id,
      type: "Ad",
      scalars: { id, name, ...states, source_ad_id: sourceAdId, campaign_id: source.id },
      edges: { adcreatives: [creative] },
      links: { campaign: () => campaign, adset, creative: () => creative },
      insights: { account, ads: [ad] },
    };
  }

  const adsets = source.adSets.map(adSetNode);
  const campaign: Node = {
    id: source.id,
    type: "Campaign",
    scalars: {
      id: source.id,
      account_id: account.accountId.replace(/^act_/, ""),
      name: source.name,
      ...states,
      objective: "OUTCOME_ENGAGEMENT",
      lifetime_budget: source.lifetimeBudget,
      budget_remaining: source.budgetRemaining ?? "0",
      start_time: source.startTime ?? "2026-01-01T00:00:00-0400",
      stop_time: source.stopTime,
    },
    edges: { adsets, ads: adsets.flatMap(({ edges }) => edges.ads ?? []) },
    links: {},
    insights: { account, ads: adsOf(source) },
  };
  return campaign;
}

/** One row with the sums of all ads over these days. Empty if no ad has an entry in `spend` for these days. */
export function insightsRow({ account, ads }: Insights, { since, until }: Days): Readonly<Record<string, string>>[] {
  const days = ads.flatMap(({ spend = {} }) => Object.entries(spend)).filter(([day]) => since <= day && day <= until);
  if (days.length === 0) return [];
  const spend = days.reduce((sum: Money, [, amount]) => sum + moneyOf(amount), 0n);
  return [
    {
      account_currency: account.currency,
      account_id: account.accountId.replace(/^act_/, ""),
      spend: decimalOf(spend),
      impressions: String(spend),
      clicks: String(spend / 50n),
      date_start: since,
      date_stop: until,
    },
  ];
}

export const todayOf = ({ account }: Insights): string => dayOf(new Date(), account.timezone ?? "UTC");

/** The first and the last day in the account's zone, both included. Days such as `2026-11-21` compare as texts. */
interface Days {
  readonly since: string;
  readonly until: string;
}

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** The days of a preset. The presets `last_7d` and `last_30d` end on the day before `today`. */
export function presetDays(preset: string, today: string): Days {
  const yesterday = shifted(today, -1);
  const days = new Map([
    ["today", { since: today, until: today }],
    ["yesterday", { since: yesterday, until: yesterday }],
    ["last_7d", { since: shifted(today, -7), until: yesterday }],
    ["last_30d", { since: shifted(today, -30), until: yesterday }],
    ["this_month", { since: `${today.slice(0, 8)}01`, until: today }],
    ["maximum", { since: shifted(today, -37 * 30), until: today }],
  ]).get(preset);
  if (days) return days;
  throw badParameter("date_preset must be one of the following values: today, yesterday, this_month, maximum, ...");
}

export function rangeDays(json: string): Days {
  const { since, until } = fieldsIn(json) ?? {};
  if (isDay(since) && isDay(until) && since <= until) return { since, until };
  throw badParameter("Param time_range must be an array of since and until");
}

const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
