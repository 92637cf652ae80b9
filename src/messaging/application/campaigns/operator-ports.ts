import type { CampaignAction, CampaignState, RecipientCounts, RecipientState } from "../../domain/campaign.ts";

export interface CampaignStatus {
  readonly id: number;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason: string | null;
  readonly templateId: number;
  readonly userId: number;
  readonly stepId: number;
  readonly startsAt: Date;
  readonly window: { readonly from: string; readonly to: string } | null;
  readonly total: number;
  readonly counts: RecipientCounts;
  /** The rate of the campaign's number, in messages per second; null after the number was deleted. */
  readonly messagesPerSecond: number | null;
  /** Messages per second over the last ten seconds. */
  readonly rate: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface RecipientStatus {
  readonly position: number;
  readonly contactId: number;
  readonly phone: string;
  readonly state: RecipientState;
  readonly attempt: number;
  readonly platformMessageId: string | null;
  readonly errorCode: number | null;
  readonly errorReason: string | null;
  readonly settledAt: Date | null;
}

export interface CampaignsStanding {
  /** Recipients that are queued or are being sent to. */
  readonly waiting: number;
  readonly done: number;
}

/** If `errorCode` is null, this service wrote the reason, and not the platform. */
export interface FailureReason {
  readonly errorCode: number | null;
  readonly errorReason: string | null;
  readonly count: number;
}

export interface CampaignFilter {
  readonly state: CampaignState | null;
  /** Part of the name, in upper or lower case; empty for all. */
  readonly text: string;
}

export interface CampaignReads {
  status(businessId: number, campaignId: number): Promise<CampaignStatus | null>;
  /** Newest first. */
  list(
    businessId: number,
    filter: CampaignFilter,
    page: number,
    limit: number,
  ): Promise<{ readonly total: number; readonly campaigns: CampaignStatus[] }>;
  /** Ordered by position. Begins after the position `after`, and then skips `offset` recipients. */
  recipients(
    businessId: number,
    campaignId: number,
    state: RecipientState | null,
    from: { readonly after: number; readonly offset: number },
    limit: number,
    signal?: AbortSignal,
  ): Promise<RecipientStatus[]>;
  /** Why recipients failed, the most frequent reasons first. */
  failures(businessId: number, campaignId: number, limit: number, signal?: AbortSignal): Promise<FailureReason[]>;
  /**
   * Counts the recipients of all businesses' campaigns, namely of running campaigns that have begun, and of campaigns
   * that were completed within the last day.
   */
  standing(): Promise<CampaignsStanding>;
}

export interface CampaignControl {
  /**
   * Applies the action if the campaign's state allows it and its sender still exists. `before` is the state before
   * the action; `done` is true if the action was applied. Returns null if there is no such campaign. The action
   * `cancel` stops the sending before it cancels the recipients.
   */
  apply(
    businessId: number,
    campaignId: number,
    action: CampaignAction,
  ): Promise<{ readonly before: CampaignState; readonly hasSender: boolean; readonly done: boolean } | null>;
}
