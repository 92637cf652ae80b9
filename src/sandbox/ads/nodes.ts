import { decimalOf, type Money, moneyOf } from "../../kernel/money.ts";
import { type Days, dayIn } from "./days.ts";
import type { SandboxAd, SandboxAdAccount, SandboxAdCampaign, SandboxAdSet, SandboxAdState } from "./settings.ts";

/** An object of the platform, with what fields of it can be asked for. */
export interface Node {
  readonly id: string;
  readonly type: string;
  readonly scalars: Readonly<Record<string, unknown>>;
  /** Lists of other objects. */
  readonly edges: Readonly<Record<string, readonly Node[]>>;
  /** Single objects. */
  readonly links: Readonly<Record<string, () => Node>>;
  /** Null for what has no insights. */
  readonly insights: Insights | null;
}

export interface Insights {
  readonly account: SandboxAdAccount;
  readonly ads: readonly SandboxAd[];
}

/** The objects of an account, the account itself first. */
export function nodesOf(account: SandboxAdAccount): Node[] {
  const campaigns = (account.campaigns ?? []).map((campaign) => new CampaignNodes(account, campaign));
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
    edges: {
      campaigns: campaigns.map(({ node }) => node),
      adsets: campaigns.flatMap(({ adSets }) => adSets),
      ads: campaigns.flatMap(({ ads }) => ads),
    },
    links: {},
    insights: { account, ads: campaigns.flatMap(({ source }) => adsOf(source)) },
  };
  return [root, ...campaigns.flatMap(({ all }) => all)];
}

const adsOf = ({ adSets }: SandboxAdCampaign): SandboxAd[] => adSets.flatMap(({ ads }) => ads);

class CampaignNodes {
  readonly node: Node;
  readonly adSets: readonly Node[];
  readonly ads: readonly Node[];

  constructor(
    private readonly account: SandboxAdAccount,
    readonly source: SandboxAdCampaign,
  ) {
    const { status = "ACTIVE" } = source;
    this.adSets = source.adSets.map((adSet) => this.adSetNode(adSet, status));
    this.ads = this.adSets.flatMap(({ edges }) => edges.ads ?? []);
    this.node = {
      id: source.id,
      type: "Campaign",
      scalars: {
        id: source.id,
        account_id: account.accountId.replace(/^act_/, ""),
        name: source.name,
        status,
        effective_status: status,
        objective: "OUTCOME_ENGAGEMENT",
        lifetime_budget: source.lifetimeBudget,
        budget_remaining: source.budgetRemaining ?? "0",
        start_time: source.startTime ?? "2026-01-01T00:00:00-0400",
        stop_time: source.stopTime,
      },
      edges: { adsets: this.adSets, ads: this.ads },
      links: {},
      insights: { account, ads: adsOf(source) },
    };
  }

  get all(): Node[] {
    return [this.node, ...this.adSets, ...this.ads];
  }

  private adSetNode(adSet: SandboxAdSet, status: SandboxAdState): Node {
    const campaign = () => this.node;
    const node: Node = {
      id: adSet.id,
      type: "AdSet",
      scalars: { id: adSet.id, name: adSet.name, status, effective_status: status, campaign_id: this.source.id },
      edges: { ads: adSet.ads.map((ad) => this.adNode(ad, status, () => node)) },
      links: { campaign },
      insights: { account: this.account, ads: adSet.ads },
    };
    return node;
  }

  private adNode(ad: SandboxAd, status: SandboxAdState, adset: () => Node): Node {
    const creative: Node = {
      id: `9${ad.id}`,
      type: "AdCreative",
      scalars: { id: `9${ad.id}`, name: ad.name, thumbnail_url: ad.thumbnailUrl, image_url: ad.imageUrl },
      edges: {},
      links: {},
      insights: null,
    };
    return {
      id: ad.id,
      type: "Ad",
      scalars: {
        id: ad.id,
        name: ad.name,
        status,
        effective_status: status,
        source_ad_id: ad.sourceAdId ?? "0",
        campaign_id: this.source.id,
      },
      edges: { adcreatives: [creative] },
      links: { campaign: () => this.node, adset, creative: () => creative },
      insights: { account: this.account, ads: [ad] },
    };
  }
}

/** The one row of these days; none where nothing was shown. */
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

export const todayOf = ({ account }: Insights): string => dayIn(account.timezone ?? "UTC", Date.now());
