import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type {
  AttemptResult,
  Consequence,
  EarlierAttempts,
  FrozenTemplate,
  RecipientState,
  UnknownIds,
} from "../../domain/campaign.ts";
import type { Media, Template } from "../../domain/template.ts";
import type { Sender, StoppedTemplate } from "../sends/ports.ts";

export interface NewCampaign {
  readonly businessId: number;
  readonly name: string;
  readonly userId: number;
  readonly stepId: number;
  readonly senderId: number;
  readonly tags: readonly number[];
  readonly template: FrozenTemplate;
  readonly timezone: string;
  /** The earliest time to send; null means at once. */
  readonly startsAt: Date | null;
  /** Local times `HH:MM` between which the campaign sends. In a window over midnight, `to` is before `from`. */
  readonly window: { readonly from: string; readonly to: string } | null;
}

export interface NewRecipient {
  readonly contactId: number;
  /** Digits only. */
  readonly phone: string;
  readonly parameters: readonly string[];
}

/** What a registration needs to know about the business; `template` is null if there is none with that id. */
export interface CampaignContext {
  readonly timezone: string;
  readonly preferredLanguage: string;
  readonly template: Template | null;
  readonly sender: Sender | null;
  readonly missing: Omit<UnknownIds["missing"], "contacts">;
}

export interface CampaignRequest {
  readonly businessId: number;
  readonly templateId: number;
  readonly userId: number;
  readonly stepId: number;
  readonly tags: readonly number[];
}

/** Reads the contacts' custom fields with the given names. Returns the fields by the contacts' ids. */
export interface StoredFields {
  storedFields(
    businessId: number,
    contactIds: readonly number[],
    names: readonly string[],
  ): Promise<ReadonlyMap<number, Readonly<Record<string, string>>>>;
}

export interface CampaignRegister extends StoredFields {
  /** Null if there is no such business. */
  context(request: CampaignRequest): Promise<CampaignContext | null>;
  /** Returns the given ids that are not contacts of the business, but only the lowest `namedIds` of them. */
  missingContacts(businessId: number, contactIds: readonly number[]): Promise<readonly number[]>;
  /** Why campaigns skip contacts, by the contacts' ids. Contacts without an obstacle are not in the map. */
  obstacles(businessId: number, contactIds: readonly number[]): Promise<ReadonlyMap<number, Obstacles>>;
  /** How many templates the business may still send this month; null if there is no limit. */
  remaining(businessId: number): Promise<number | null>;
}

interface Obstacles {
  readonly hasOptedOut: boolean;
  /** The contact is from a channel without phone numbers. */
  readonly hasNoNumber: boolean;
}

export interface NewCampaigns extends StoredFields {
  /**
   * Stores the campaign and returns its id. Recipients are written while they are read, so memory does not grow with
   * their number.
   */
  add(campaign: NewCampaign, total: number, recipients: AsyncIterable<NewRecipient[]>): Promise<number>;
}

export type NewCampaignUnitOfWork = UnitOfWork<{ readonly campaigns: NewCampaigns }>;

/** A sender that only this worker drains, as long as the sender's fence in the database equals `fence`. */
export interface SenderLease {
  readonly businessId: number;
  readonly sender: Sender;
  readonly fence: number;
  readonly messagesPerSecond: number;
  /** Milliseconds to wait before the first message, because the previous worker may have sent until just now. */
  readonly waitMs: number;
}

export interface ClaimedRecipient extends EarlierAttempts {
  readonly campaignId: number;
  readonly position: number;
  readonly contactId: number;
  readonly phone: string;
  readonly parameters: readonly string[];
  readonly reference: string;
  readonly attempt: number;
}

export interface ClaimedBatch {
  /** False if the lease is lost. */
  readonly held: boolean;
  readonly recipients: readonly ClaimedRecipient[];
  /** The campaigns of the recipients that the claim skipped. Such recipients have opted out or have no number. */
  readonly skippedOf: readonly number[];
  /** If nothing was due: milliseconds until recipients come due; null if no recipients wait for a later time. */
  readonly dueInMs: number | null;
  /** Messages that the business sent in the last second outside of campaigns, from any sender. */
  readonly sentDirectly: number;
}

export interface TriedRecipient extends ClaimedRecipient, AttemptResult {}

/**
 * A recipient whose message has to be recorded in the contact's chat. A refused message is not added to the chat, but
 * is updated if the chat already has it as unknown.
 */
export interface RecipientToRecord extends Omit<ClaimedRecipient, "phone" | keyof EarlierAttempts> {
  readonly businessId: number;
  readonly state: RecipientState;
  readonly platformMessageId: string | null;
  readonly errorReason: string | null;
}

/** Called for a sender whose token cannot be decrypted, with the campaigns that were paused for this reason. */
export type OnUnreadable = (businessId: number, campaignIds: readonly number[], error: Error) => void;

/** Why no message of the campaign can succeed, and whether that concerns every campaign with its template. */
export type PauseReason = Pick<Extract<Consequence, { readonly kind: "pause" }>, "reason" | "concerns">;

export interface CampaignQueue {
  /**
   * Leases senders that have due recipients and no worker, the longest waiting first. A sender whose token cannot be
   * decrypted is not returned but given to `onUnreadable`.
   */
  lease(worker: string, limit: number, onUnreadable: OnUnreadable): Promise<SenderLease[]>;
  /** @param restMs - how long no worker may send from the number; 0 if absent */
  release(lease: SenderLease, restMs?: number): Promise<void>;
  /** False if the lease is lost. */
  renew(lease: SenderLease): Promise<boolean>;
  /**
   * Claims the next recipients of the sender's campaigns, in turns, and renews the lease. The recipients become
   * `sending`: the caller must send to them before their lease expires, or not at all.
   *
   * @param after - the campaign that was served last; the turns begin after it
   */
  claim(lease: SenderLease, limit: number, after: number): Promise<ClaimedBatch>;
  /** The frozen parts of the campaigns, by id. */
  frozen(businessId: number, campaignIds: readonly number[]): Promise<Map<number, FrozenCampaign>>;
  /**
   * Pauses the campaign until it is resumed and, if the reason concerns its template, all campaigns of the account with
   * that template. Returns the paused campaigns.
   */
  pause(businessId: number, campaignId: number, reason: PauseReason): Promise<number[]>;
  /**
   * Pauses all campaigns of the sender's account that send the template. Called when the platform refused a message
   * that belongs to no campaign. Returns the paused campaigns.
   */
  pauseTemplate(businessId: number, senderId: number, template: StoppedTemplate, reason: string): Promise<number[]>;
  /** Completes the sender's campaigns without open recipients, and returns their ids. */
  complete(businessId: number, senderId: number): Promise<number[]>;
  /**
   * Corrects running campaigns without open recipients, and ended campaigns with open recipients, in all businesses.
   * Dead workers and simultaneous actions leave such campaigns. Returns the campaigns to announce, by business.
   */
  tidy(): Promise<Map<number, number[]>>;
  /** Logs the counts of the campaigns, except those whose counts were logged within the last half second. */
  announce(businessId: number, campaignIds: readonly number[]): Promise<Announced>;
}

export interface Announced {
  readonly events: readonly LoggedEvent[];
  /**
   * Campaigns left out because they were announced within the last half second. They must be announced later. Deleted
   * campaigns are in neither list.
   */
  readonly later: readonly number[];
}

export interface Statistics {
  /** Updates the planner's statistics of tables that grew a lot. */
  refresh(): Promise<void>;
}

export interface FrozenCampaign {
  readonly id: number;
  readonly template: FrozenTemplate;
  readonly tags: readonly number[];
  readonly stepId: number;
  readonly senderChannel: string;
  readonly businessName: string;
}

/** A campaign's message as its chat stores it. */
export interface CampaignMessage
  extends Omit<RecipientToRecord, "businessId" | "campaignId" | "position" | "parameters"> {
  /** True if the message was refused. Such a message is not added to the chat, but updated if it is there already. */
  readonly onlyIfKept: boolean;
  readonly body: string;
}

/** The fields that all messages of a campaign share. */
export interface CampaignOrigin {
  readonly campaignId: number;
  readonly templateId: number;
  readonly media: Media | null;
  readonly stepId: number;
  readonly tags: readonly number[];
  readonly channel: string;
  readonly authorName: string;
}

/** The stored fields of an attempt. */
export type SettledTry = Omit<TriedRecipient, "phone" | keyof EarlierAttempts | "recipientId">;

export interface CampaignRecipients {
  /**
   * Stores the outcomes of attempts, unless a delivery status already reported a later state. Returns the recipients
   * whose message has to be recorded in a chat.
   */
  settle(businessId: number, tried: readonly SettledTry[]): Promise<RecipientToRecord[]>;
  /**
   * Takes recipients whose lease expired before their outcome was recorded. Recipients that are still `sending` become
   * unknown.
   */
  takeStragglers(limit: number): Promise<RecipientToRecord[]>;
  /** The frozen parts of the rows' campaigns, by id. */
  campaignsOf(businessId: number, rows: readonly RecipientToRecord[]): Promise<Map<number, FrozenCampaign>>;
}

/** What a platform's answer shows about a contact. */
export interface ContactUpdate {
  readonly contactId: number;
  /** The number that the message went to. */
  readonly phone: string;
  /** The contact's id on the platform; null if the answer did not have it. */
  readonly platformId: string | null;
  readonly optedOut: boolean;
}

/** A business's messages by campaign, and what the platform's answers showed about the contacts. */
export interface CampaignNews {
  readonly businessId: number;
  readonly contactUpdates: readonly ContactUpdate[];
  readonly campaigns: readonly { readonly origin: CampaignOrigin; readonly messages: readonly CampaignMessage[] }[];
}

export interface CampaignInbox {
  /**
   * Stores the messages in the chats of their contacts, with tags and funnel events. Creates missing chats. Call it
   * once per transaction: the locks of a second call would be out of order, which could deadlock.
   *
   * @param isHeard - false if no client listens: events are logged but not returned
   */
  record(news: readonly CampaignNews[], isHeard: boolean): Promise<LoggedEvent[]>;
}

interface RecordStores {
  readonly recipients: CampaignRecipients;
  readonly inbox: CampaignInbox;
}

export type RecordUnitOfWork = UnitOfWork<RecordStores>;

/** The clock, replaceable in tests. */
export interface Timing {
  /** Milliseconds of a clock that never goes back and also runs while the process is suspended. */
  now(): number;
  /** Resolves early, without rejecting, when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
