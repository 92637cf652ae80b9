import type { Ad, AdAccount, AdOutcome, AdSet, Campaign, Days, SpendDays } from "../domain/ads.ts";
import type { Period } from "../domain/period.ts";

/** With what a business asks the ad platform. */
export interface AdAccess {
  readonly businessId: number;
  readonly token: string;
}

export interface CampaignQuery {
  readonly accountId: string;
  readonly spentOn: SpendDays;
  readonly onlyActive: boolean;
  /** A cursor of an earlier page. */
  readonly after: string | null;
}

export interface CampaignPage {
  readonly campaigns: readonly Campaign[];
  readonly next: string | null;
}

/**
 * Reads of the ad platform, each bounded in time. They reject with `NotShown` for what the platform does not show
 * to this business, with `AdPlatformBusy` and with `AdPlatformUnavailable`; answers are whole or not at all.
 */
export interface AdPlatform {
  /** One page of an account's campaigns with all their ads; rejects with `WrongCursor` besides. */
  campaigns(access: AdAccess, query: CampaignQuery): Promise<CampaignPage>;
  /** All ad sets of a campaign. */
  adSets(access: AdAccess, campaignId: string, spentOn: SpendDays, accountId: string | null): Promise<readonly AdSet[]>;
  /** All ad accounts that the token opens. */
  accounts(access: AdAccess): Promise<readonly AdAccount[]>;
  /** All ads of an account with what they spent on those days. */
  ads(access: AdAccess, accountId: string, days: Days): Promise<readonly Ad[]>;
}

export interface AdCredentials {
  /** What the business is to the ad platform; its token is null where none is stored. */
  of(businessId: number): Promise<AdSettings>;
}

export interface AdSettings {
  readonly token: string | null;
  readonly defaultAccountId: string | null;
  /** An IANA name. */
  readonly timezone: string;
}

export interface AdCredentialStore {
  /**
   * Stores or replaces; null leaves the default account as it is. Rejects with `BusinessNotFound`.
   */
  put(businessId: number, token: string, defaultAccountId: string | null): Promise<StoredAdAccess>;
}

/** As the audit tells of it: without its token. */
export interface ShownAdAccess {
  readonly defaultAccountId: string | null;
}

export interface StoredAdAccess {
  readonly id: number;
  /** Null where there was none. */
  readonly before: ShownAdAccess | null;
  readonly after: ShownAdAccess;
}

export interface AdSales {
  /** What came of these ads in the period; an ad without anything is left out. */
  byAd(businessId: number, adIds: readonly string[], period: Period): Promise<ReadonlyMap<string, AdOutcome>>;
}
