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
  /** The business whose feature flag `group_shared_report` lists the businesses of the group. */
  readonly rootId: number;
  /** True if the caller is an App Key or an administrator. The root's feature flag `reports_for` may require this. */
  readonly forAdministrator: boolean;
  /**
   * ISO 8601. A date without a zone is read in the zone of each business. The period includes `endDate`. If `endDate`
   * has no time, it means the end of that day.
   */
  readonly startDate: string;
  readonly endDate: string;
  /** The wanted businesses of the group; all of them by default. Ids outside the group are ignored. */
  readonly include?: readonly number[] | undefined;
  /** If true and the root has no `group_shared_report`, the report shows only the root instead of failing. */
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
   * All ads of the account, with their spend on the days of the period. If the call fails or takes too long, the report
   * lacks the names and the spend of ads.
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

/** The zone in which a business's days begin, and the currency in which its amounts are added up. */
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
  /** Up to `limit` records with an ad, over all businesses. The records of each business are sorted by time. */
  adRecords(
    asked: readonly AskedPeriod[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<(RegistrationRecord & { businessId: number })[]>;
}

/** The stored feature flags that decide the day and the currency in which a business's records are counted. */
export interface Counting extends CurrencyFlags {
  readonly timezone: unknown;
}

/** The settings and facts that are needed to add or correct a record. */
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
   * `hasChat` means that the chat exists and that the agent `seenBy` may see it. If `seenBy` is null, every chat may be
   * seen. `hasAgent` is also true if `agentId` is null.
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
   * Locks the record until the transaction ends. Null if there is no such record, or if `agent` may not see it.
   * Agents see their own records and the records of chats that they see. If `agent` is null, every record is visible.
   */
  hold(businessId: number, id: number, agent: number | null): Promise<StoredRegistration | null>;
  save(businessId: number, id: number, record: StoredRegistration): Promise<void>;
  remove(businessId: number, id: number): Promise<void>;
}

export type RegistrationUnitOfWork = UnitOfWork<{ readonly registrations: RegistrationStore }>;

/** Counts past days, and a part of today, in advance for reports. Any number of processes may do this at once. */
export interface ReportFolds {
  /** Only rows from before this moment are folded. If such a row is added or changed later, its day is folded again. */
  horizon(businessId: number): Promise<Date>;
  /** Businesses with days to fold before their horizon, or with records to convert. */
  due(): Promise<readonly DueBusiness[]>;
  /** The days and currencies of all records whose base amount is not in `currency`. */
  unconverted(businessId: number, currency: string): Promise<readonly DayOfCurrency[]>;
}

export interface FoldStore {
  /** Folds some days of the business. False if there was nothing to fold. */
  foldSome(businessId: number, counted: Counted, horizon: Date): Promise<boolean>;
  /** Removes the folded days of the business. Null if there is no such business. */
  forget(businessId: number): Promise<Counting | null>;
  /**
   * Converts some records of the days and currencies in `rates`: those with the lowest ids above `after`.
   * @returns the highest id of these records; null if there are none
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

/** The two temperatures of a conversation, each from 0 to 100: the AI's and the agents'. */
export interface Temperatures {
  /**
   * Sets the temperatures of the chat's open conversation, or of its latest one if none is open. Null removes a
   * temperature; `undefined` keeps it. Returns false if the chat does not exist or has no conversation, or if the agent
   * `seenBy` may not see the chat. If `seenBy` is null, every chat may be seen.
   */
  set(
    businessId: number,
    chatId: number,
    seenBy: number | null,
    temperatures: Readonly<Record<"ai" | "agent", number | null | undefined>>,
  ): Promise<boolean>;
}
