import type { Ad, AdAccount, AdOutcome, AdSet, Campaign, Days, SpendDays } from "../domain/ads.ts";
import type { Period } from "../domain/period.ts";

export interface AdAccess {
  readonly businessId: number;
  readonly token: string;
}

export interface CampaignQuery {
  readonly accountId: string;
  readonly spentOn: SpendDays;
  readonly onlyActive: boolean;
  /** The `next` of the page before; null for the first page. */
  readonly after: string | null;
}

export interface CampaignPage {
  readonly campaigns: readonly Campaign[];
  readonly next: string | null;
}

/**
 * Reads from the ad platform. Each method has a time limit and never returns a partial answer. It rejects with
 * `NotShown` if the platform does not show the object to the business. It may also reject with `AdPlatformBusy` or
 * `AdPlatformUnavailable`.
 */
export interface AdPlatform {
  /** One page of an account's campaigns with all their ads. Rejects also with `WrongCursor`. */
  campaigns(access: AdAccess, query: CampaignQuery): Promise<CampaignPage>;
  adSets(access: AdAccess, campaignId: string, spentOn: SpendDays, accountId: string | null): Promise<readonly AdSet[]>;
  accounts(access: AdAccess): Promise<readonly AdAccount[]>;
  ads(access: AdAccess, accountId: string, days: Days): Promise<readonly Ad[]>;
}

export interface AdCredentials {
  /** The business's settings for the ad platform. Rejects with `BusinessNotFound`. */
  of(businessId: number): Promise<AdSettings>;
}

export interface AdSettings {
  /** Null if none is stored. */
  readonly token: string | null;
  readonly defaultAccountId: string | null;
  /** An IANA name. */
  readonly timezone: string;
}

export interface AdCredentialStore {
  /** Stores the access; if `defaultAccountId` is null, the stored one stays. Rejects with `BusinessNotFound`. */
  put(businessId: number, token: string, defaultAccountId: string | null): Promise<StoredAdAccess>;
}

/** What the audit stores of an access: everything but the token. */
interface ShownAdAccess {
  readonly defaultAccountId: string | null;
}

export interface StoredAdAccess {
  readonly id: number;
  /** Null if the business had no access. */
  readonly before: ShownAdAccess | null;
  readonly after: ShownAdAccess;
}

export interface AdSales {
  /** The figures of these ads in the period. An ad without figures is left out. */
  byAd(businessId: number, adIds: readonly string[], period: Period): Promise<ReadonlyMap<string, AdOutcome>>;
}
