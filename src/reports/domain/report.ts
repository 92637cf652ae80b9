import type { Money } from "../../kernel/money.ts";

/** The time from `from` until just before `until`. It is empty if both are the same moment. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
}

/** The number of records, and the sum of their amounts in the business's base currency. */
export interface Tally {
  readonly count: number;
  readonly amount: Money;
}

/** Quotations from all sources. The quotations of two sources are also counted separately. */
export interface QuotationTally extends Tally {
  readonly fromPdf: Tally;
  readonly fromMessage: Tally;
}

/** The fields of a business that a report shows. None is secret. */
export interface ReportedBusiness {
  readonly id: number;
  readonly name: string;
  readonly imageUrl: string | null;
  /** The currency in which its report adds up amounts. */
  readonly currency: string;
  /** The zone in which its days begin and end. */
  readonly timezone: string;
  /** The feature flags that may be shown, by their names. */
  readonly flags: Readonly<Record<string, unknown>>;
}

export interface TagCount {
  readonly name: string;
  readonly count: number;
}

export interface AgentFigures {
  readonly id: number;
  readonly name: string;
  /** Tickets created in the period, by their present state. */
  readonly tickets: {
    readonly total: number;
    readonly completed: number;
    readonly cancelled: number;
    readonly pending: number;
    readonly inProgress: number;
  };
  /** Closed sales. */
  readonly sales: Tally;
  readonly quotations: Tally;
}

/** An ad platform's details of an ad. A detail is null if the platform does not give it. */
export interface AdInsight {
  readonly adId: string;
  readonly name: string | null;
  readonly imageUrl: string | null;
  /** In `currency`, which is the ad account's currency. */
  readonly spend: number | null;
  readonly currency: string | null;
}

export interface AdFigures extends AdInsight {
  /** Closed sales. */
  readonly sales: Tally;
  readonly quotations: Tally;
  /** Every record of the period that is attributed to the ad, oldest first. */
  readonly records: readonly RegistrationRecord[];
}

export type RegistrationType = "sale" | "quotation";

/** A registered sale or quotation. */
export interface RegistrationRecord {
  readonly id: number;
  readonly type: RegistrationType;
  readonly chatId: number;
  readonly agentId: number | null;
  readonly amount: Money;
  readonly currency: string;
  /** The amount in the business's base currency, at the rate of the record's day; null until it is converted. */
  readonly baseAmount: Money | null;
  readonly source: string;
  readonly closed: boolean;
  readonly adId: string | null;
  readonly at: Date;
}

/** §7: one business of a shared report. Rates are percentages. Rates and mean temperatures have up to two decimals. */
export interface BusinessReport {
  readonly business: ReportedBusiness;
  readonly period: Period;
  readonly conversations: number;
  /** Closed sales; `fromAds` and `organic` add up to `all`. */
  readonly sales: { readonly all: Tally; readonly fromAds: Tally; readonly organic: Tally };
  readonly quotations: {
    readonly all: QuotationTally;
    readonly fromAds: QuotationTally;
    readonly organic: QuotationTally;
  };
  readonly rates: {
    readonly salesPerConversation: number;
    readonly quotationsPerConversation: number;
    readonly salesPerQuotation: number;
  };
  readonly temperatures: { readonly ai: number; readonly agent: number };
  /** Most assigned first. */
  readonly tags: readonly TagCount[];
  /** Sorted by name. */
  readonly agents: readonly AgentFigures[];
  /** Null if the business names no ad account for its report, or if the report was requested without ads. */
  readonly ads: readonly AdFigures[] | null;
  /** The ad platform gave no details in time: the names and the spend of ads are missing. */
  readonly isAdPlatformSilent: boolean;
}

/**
 * One day of one business. A report lists every day of a period of up to 1,830 days. Of a longer period, it lists the
 * days from the first to the last that have figures, and up to one more day at each end.
 */
export interface DayFigures {
  /** `2026-03-01`, in the business's time zone. */
  readonly day: string;
  readonly conversations: number;
  /** Closed sales. */
  readonly sales: Tally;
  readonly quotations: Tally;
}

export interface DailyFigures {
  readonly business: ReportedBusiness;
  /** Sorted by date. */
  readonly days: readonly DayFigures[];
}
