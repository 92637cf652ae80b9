import { numberOf } from "../../kernel/money.ts";

export const datePresets = ["today", "yesterday", "last_7d", "last_30d", "this_month", "maximum"] as const;
/** A span of days that the ad platform counts on the clock of the ad account. */
export type DatePreset = (typeof datePresets)[number];

/** From `since` to `until`, both included, as `2026-11-21`. They are days on the clock of the ad account. */
export interface Days {
  readonly since: string;
  readonly until: string;
}

/** The days over which spend is summed. */
export type SpendDays = DatePreset | Days;

/** The spend of an ad, ad set or campaign. There is no row if nothing was shown. */
interface InsightsRow {
  /** A decimal that `spendOf` reads. */
  readonly spend: string;
  readonly currency: string;
}
export type Insights = readonly InsightsRow[];

export interface AdCreative {
  readonly id: string | null;
  readonly thumbnailUrl: string | null;
  readonly imageUrl: string | null;
}

export interface Ad {
  readonly id: string;
  readonly name: string;
  /** The ad that this one was copied from. */
  readonly sourceAdId: string | null;
  readonly insights: Insights;
  readonly creatives: readonly AdCreative[];
}

export interface CampaignFacts {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** Cents, as digits; null if the campaign has no such budget. */
  readonly lifetimeBudget: string | null;
  readonly budgetRemaining: string | null;
  /** ISO 8601. */
  readonly startTime: string | null;
  readonly stopTime: string | null;
  readonly insights: Insights;
}

export interface Campaign extends CampaignFacts {
  readonly ads: readonly Ad[];
}

export interface AdSet {
  readonly id: string;
  readonly name: string;
  readonly insights: Insights;
  readonly ads: readonly Ad[];
  readonly campaign: CampaignFacts;
  /** The ad account of the campaign, if the platform names it. */
  readonly accountId: string | null;
}

export interface AdAccount {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly status: number;
}

/** An ad's results as this service counts them. */
export interface AdOutcome {
  readonly sales: number;
  readonly quotations: number;
  /** Conversations that began with the ad. */
  readonly conversations: number;
}

export interface AdWithFigures extends Ad {
  readonly figures: AdOutcome;
}

const noFigures: AdOutcome = { sales: 0, quotations: 0, conversations: 0 };

/** @param figures - by the ad's id; an ad without an entry gets zeros */
export const withFigures = (ads: readonly Ad[], figures: ReadonlyMap<string, AdOutcome>): AdWithFigures[] =>
  ads.map((ad) => ({ ...ad, figures: figures.get(ad.id) ?? noFigures }));

/** An exact amount in millionths of its currency's unit: some currencies have more than two decimals. */
export type Spend = bigint;

const written = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const decimals = 6;
const perCent = 10_000n;

/** Reads an amount of the ad platform; null if it is malformed. */
export function spendOf(decimal: string): Spend | null {
  const match = written.exec(decimal);
  return match ? BigInt(`${match[1]}${(match[2] ?? "").padEnd(decimals, "0")}`) : null;
}

/** Converts an amount to a number with at most two decimals, with halves rounded up: `12345000n` becomes 12.35. */
export const spendNumber = (spend: Spend): number => numberOf((spend + perCent / 2n) / perCent);

export const spent = (insights: Insights): Spend =>
  insights.reduce((sum, { spend }) => sum + (spendOf(spend) ?? 0n), 0n);

/** Only ids of accounts have the prefix. */
export const isAccountId = (id: string): boolean => id.startsWith("act_");

/** The account's id as the platform writes it. People may leave out the prefix. */
export const accountIdOf = (given: string): string => (isAccountId(given) ? given : `act_${given}`);
