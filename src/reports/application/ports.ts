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
  TagCount,
  Tally,
} from "../domain/report.ts";

export interface ReportRequest {
  /** The business whose feature flag `group_shared_report` lists the group. */
  readonly rootId: number;
  /** True for App Keys and administrators. The root's feature flag `reports_for` may exclude everyone else. */
  readonly forAdministrator: boolean;
  /**
   * ISO 8601. A date without a zone is in each business's own zone. `endDate` is included; without a time it means the
   * end of its day.
   */
  readonly startDate: string;
  readonly endDate: string;
  /** The wanted businesses of the group; all of them by default. Ids outside the group are ignored. */
  readonly include?: readonly number[] | undefined;
  /** A business that shares no report gets its own figures instead of a failure. */
  readonly orOwn?: boolean;
}

export interface ReportPage {
  readonly reports: readonly BusinessReport[];
  /** The same businesses, day by day. */
  readonly daily: readonly DailyFigures[];
  readonly madeAt: Date;
}

/** Renders the page. Rejects if the signal is aborted before the page is ready. */
export type DrawReportPage = (page: ReportPage, signal: AbortSignal) => Promise<string>;

export interface AdInsights {
  /**
   * All ads of the account, with their spend in the period. If the call fails or is late, the report has no names and
   * no spend of ads.
   */
  adsOf(businessId: number, accountId: string, period: Period): Promise<readonly AdInsight[]>;
}

/** A stored business with all its feature flags, also the private ones. */
export interface StoredBusiness {
  readonly id: number;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** The zone of a business's days, and the currency of its amounts. */
export interface Counted {
  readonly timezone: string;
  readonly currency: string;
}

/** A business and the period of its report. */
export interface AskedPeriod extends Counted {
  readonly businessId: number;
  readonly period: Period;
}

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
  /** Returns the businesses that exist, in no particular order. */
  businesses(ids: readonly number[], signal?: AbortSignal): Promise<StoredBusiness[]>;
  figures(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedFigures[]>;
  /** The days of each period, in order. */
  days(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedDay[]>;
  /** Records with an ad, the oldest of each business first; at most `limit` over all businesses. */
  adRecords(
    asked: readonly AskedPeriod[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<(RegistrationRecord & { businessId: number })[]>;
}

/** The stored feature flags that decide on which day, and in which currency, the records of a business count. */
export interface Counting extends CurrencyFlags {
  readonly timezone: unknown;
}

/** The settings and facts that a new or corrected record depends on. */
export interface RegistrationSetting extends Counting {
  readonly hasChat: boolean;
  readonly adId: string | null;
  readonly hasAgent: boolean;
  readonly now: Date;
}

export interface StoredRegistration extends Omit<RegistrationRecord, "id" | "adId"> {
  readonly baseAmount: Money;
  /** The currency of `baseAmount`: the business's own at the time of the conversion. */
  readonly baseCurrency: string;
  readonly rate: Rate;
  /** `2026-03-01`: the day of the rate. */
  readonly rateDate: string;
}

export interface RegistrationStore {
  /**
   * `hasAgent` is true if `agentId` is null. `hasChat` is false if the agent `seenBy` may not see the chat; null sees
   * every chat.
   */
  setting(
    businessId: number,
    chatId: number,
    agentId: number | null,
    seenBy: number | null,
  ): Promise<RegistrationSetting>;
  /** Returns the id of the new record. */
  add(businessId: number, record: StoredRegistration & { readonly adId: string | null }): Promise<number>;
  /**
   * Locks the record until the transaction ends. Null if there is no such record, or if the agent may not see it.
   * Agents see their own records and the records of chats that they see. A null agent sees all.
   */
  hold(businessId: number, id: number, agent: number | null): Promise<StoredRegistration | null>;
  save(businessId: number, id: number, record: StoredRegistration): Promise<void>;
  remove(businessId: number, id: number): Promise<void>;
}

export type RegistrationUnitOfWork = UnitOfWork<{ readonly registrations: RegistrationStore }>;

/** Counts past days in advance for reports. Any number of processes may do this at the same time. */
export interface ReportFolds {
  /** A record from before this moment leaves a mark when it is added or changed, so that its day is folded again. */
  horizon(businessId: number): Promise<Date>;
  /** Businesses with days to fold before their horizon, or with records to convert. */
  due(): Promise<readonly DueBusiness[]>;
  /** Days and currencies of the records whose base amount is in another currency than `currency`. */
  unconverted(businessId: number, currency: string): Promise<readonly DayOfCurrency[]>;
}

export interface FoldStore {
  /** Folds some days of the business. False if there was nothing to fold. */
  foldSome(businessId: number, counted: Counted, horizon: Date): Promise<boolean>;
  /** Removes the folded days of the business. Null if there is no such business. */
  forget(businessId: number): Promise<Counting | null>;
  /**
   * Converts some of the records of these days and currencies, in the order of their ids and after the id `after`.
   * @returns the last id; null if there was none
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

/** The temperature of a conversation from 0 to 100, according to the AI's summary and to agents. */
export interface Temperatures {
  /**
   * Sets the given temperatures of the chat's open conversation, else of its latest. Null removes a temperature, and
   * `undefined` leaves it. Returns false if there is no such chat, if the chat has no conversation, or if the agent
   * `seenBy` may not see the chat (null sees every chat).
   */
  set(
    businessId: number,
    chatId: number,
    seenBy: number | null,
    temperatures: Readonly<Record<"ai" | "agent", number | null | undefined>>,
  ): Promise<boolean>;
}
