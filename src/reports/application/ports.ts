import type { Money } from "../../kernel/money.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { CurrencyFlags, Rate } from "../domain/currency.ts";
import type {
  AdInsight,
  AgentFigures,
  BusinessReport,
  DailyFigures,
  DayFigures,
  Period,
  QuotationTally,
  RegistrationRecord,
  RegistrationType,
  TagCount,
  Tally,
} from "../domain/report.ts";

/** What a shared report is asked for. */
export interface ReportRequest {
  /** Whose feature flag `group_shared_report` names the group. */
  readonly rootId: number;
  /** For an App Key or an administrator: others may be kept from reports by the root's feature flag `reports_for`. */
  readonly forAdministrator: boolean;
  /**
   * ISO 8601; a date without a zone is in each business's own. The end is included, a date without a time to the end
   * of its day.
   */
  readonly startDate: string;
  readonly endDate: string;
  /** Those of the group that are wanted; the whole group unless given. Others are ignored. */
  readonly include?: readonly number[];
  /** A business that shares no report is a group of its own, rather than a failure. */
  readonly orOwn?: boolean;
}

/** §7. All reject with a `ReportFailure`, and list the businesses in the order of the group. */
export interface SharedReports {
  /** @param signal - ends the counting when it is aborted */
  report(request: ReportRequest, signal?: AbortSignal): Promise<BusinessReport[]>;
  /** The same without anything of single ads, which takes longest. */
  figures(request: ReportRequest, signal?: AbortSignal): Promise<BusinessReport[]>;
  /** The same figures day by day. */
  daily(request: ReportRequest, signal?: AbortSignal): Promise<DailyFigures[]>;
}

/** What a page of a report shows. */
export interface ReportPage {
  readonly reports: readonly BusinessReport[];
  /** Of the same businesses. */
  readonly daily: readonly DailyFigures[];
  readonly madeAt: Date;
}

/** The whole page; rejects when the signal is aborted before it is drawn. */
export type DrawReportPage = (page: ReportPage, signal: AbortSignal) => Promise<string>;

/** What an ad platform knows of the ads of an account. */
export interface AdInsights {
  /** All ads of the account, with what they spent in the period. A rejection, or an answer that comes late, costs a report only these details. */
  adsOf(businessId: number, accountId: string, period: Period): Promise<readonly AdInsight[]>;
}

/** A business as it is stored, with the flags that say how it counts. */
export interface StoredBusiness {
  readonly id: number;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** A business and the period of its report, in the zone in which its days begin and the currency that it counts in. */
export interface AskedPeriod {
  readonly businessId: number;
  readonly timezone: string;
  readonly currency: string;
  readonly period: Period;
}

/** What was counted of one business. */
export interface CountedFigures {
  readonly businessId: number;
  readonly conversations: number;
  /** Sums in hundredths. */
  readonly temperatures: Readonly<Record<"ai" | "agent", { readonly sum: bigint; readonly count: number }>>;
  readonly sales: Readonly<Record<Origin, Tally>>;
  readonly quotations: Readonly<Record<Origin, QuotationTally>>;
  readonly tags: readonly TagCount[];
  readonly agents: readonly AgentFigures[];
}

type Origin = "fromAds" | "organic";

export interface CountedDay extends DayFigures {
  readonly businessId: number;
}

export interface ReportReads {
  /** Those that exist, in no order. */
  businesses(ids: readonly number[], signal?: AbortSignal): Promise<StoredBusiness[]>;
  /** One of each business asked for. */
  figures(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedFigures[]>;
  /** The days of each period, in order. */
  days(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedDay[]>;
  /** Records with an ad, oldest first; at most `limit` over all businesses. */
  adRecords(
    asked: readonly AskedPeriod[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<(RegistrationRecord & { businessId: number })[]>;
}

/** What a business's feature flags say of how it counts, as they are stored. */
export interface Counting extends CurrencyFlags {
  readonly timezone: unknown;
}

/** What a record is made or corrected against. */
export interface RegistrationSetting extends Counting {
  readonly hasChat: boolean;
  readonly adId: string | null;
  readonly hasAgent: boolean;
  readonly now: Date;
}

export interface StoredRegistration {
  readonly type: RegistrationType;
  readonly chatId: number;
  readonly agentId: number | null;
  readonly amount: Money;
  readonly currency: string;
  readonly baseAmount: Money;
  /** Of `baseAmount`: the business's own when it was made or last converted. */
  readonly baseCurrency: string;
  readonly rate: Rate;
  /** `2026-03-01`: the day whose rate it is. */
  readonly rateDate: string;
  readonly source: string;
  readonly closed: boolean;
  readonly at: Date;
}

export interface RegistrationStore {
  /** Without an agent `hasAgent` is true. `hasChat` is false of one that the agent `seenBy` may not see; null sees all. */
  setting(
    businessId: number,
    chatId: number,
    agentId: number | null,
    seenBy: number | null,
  ): Promise<RegistrationSetting>;
  /** The id of the new record. */
  add(businessId: number, record: StoredRegistration & { readonly adId: string | null }): Promise<number>;
  /** Holds the record until the transaction ends. With an agent, only that agent's is there. */
  hold(businessId: number, id: number, ofAgent: number | null): Promise<StoredRegistration | null>;
  save(businessId: number, id: number, record: StoredRegistration): Promise<void>;
  /** False when there is no such record. */
  remove(businessId: number, id: number, ofAgent: number | null): Promise<boolean>;
}

export type RegistrationUnitOfWork = UnitOfWork<{ readonly registrations: RegistrationStore }>;

/** Counts days that are over, so that reports need not. Safe at any time, by any number of processes. */
export interface ReportFolds {
  /** The moment before which nothing of the business can appear any more without leaving a mark. */
  horizon(businessId: number): Promise<Date>;
  /** Businesses with something to fold before their horizon, or to convert, with what they name. */
  due(): Promise<readonly DueBusiness[]>;
  /** Days and currencies of the records whose base amount is in another currency than `currency`. */
  unconverted(businessId: number, currency: string): Promise<readonly DayOfCurrency[]>;
}

export interface FoldStore {
  /** Folds some days of the business; false when it was nothing. */
  foldSome(
    businessId: number,
    counted: { readonly timezone: string; readonly currency: string },
    horizon: Date,
  ): Promise<boolean>;
  /** Forgets what was folded of the business; null when there is none. */
  forget(businessId: number): Promise<Counting | null>;
  /**
   * Converts some of the records of these days and currencies, those after the record `after` by their ids.
   * @returns the last one looked at; null when there was none
   */
  convertSome(
    businessId: number,
    currency: string,
    rates: readonly (DayOfCurrency & { readonly rate: Rate })[],
    after: number,
  ): Promise<number | null>;
}

export type FoldUnitOfWork = UnitOfWork<{ readonly folds: FoldStore }>;

export interface DueBusiness extends Counting {
  readonly businessId: number;
  readonly horizon: Date;
}

export interface DayOfCurrency {
  readonly currency: string;
  /** `2026-03-01` */
  readonly day: string;
}

/** How warm a conversation is, from 0 to 100: what the AI's summary says, and what agents say. */
export interface Temperatures {
  /**
   * Of a chat that the agent `seenBy` may see; null sees all. Sets those that are given (null takes one away) for the chat's open conversation, else for its latest. False when
   * there is no such chat, or no conversation in it.
   */
  take(
    businessId: number,
    chatId: number,
    seenBy: number | null,
    temperatures: { readonly ai?: number | null; readonly agent?: number | null },
  ): Promise<boolean>;
}
