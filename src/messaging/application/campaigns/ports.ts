import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { FrozenTemplate, Progress, RecipientState, UnknownIds } from "../../domain/campaign.ts";
import type { Media, Template } from "../../domain/template.ts";
import type { Sender } from "../sends/ports.ts";

export interface NewCampaign {
  readonly businessId: number;
  readonly name: string;
  readonly userId: number;
  readonly stepId: number;
  readonly senderId: number;
  readonly tags: readonly number[];
  readonly template: FrozenTemplate;
  readonly timezone: string;
  /** Not before; at once when null. */
  readonly startsAt: Date | null;
  /** Local times `HH:MM` between which it sends; the second may be the earlier one, for a window over midnight. */
  readonly window: { readonly from: string; readonly to: string } | null;
}

export interface NewRecipient {
  readonly contactId: number;
  /** Digits only. */
  readonly phone: string;
  readonly parameters: readonly string[];
}

/** What registering needs to know of the business; `template` is null when there is none of that id. */
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

/** Custom fields of contacts, by the contacts' ids: those with these names, where there are any. */
export interface StoredFields {
  storedFields(
    businessId: number,
    contactIds: readonly number[],
    names: readonly string[],
  ): Promise<ReadonlyMap<number, Readonly<Record<string, string>>>>;
}

export interface CampaignRegister extends StoredFields {
  /** Null when there is no such business. */
  context(request: CampaignRequest): Promise<CampaignContext | null>;
  /** Those that the business does not have, the lowest `namedIds` of them. */
  missingContacts(businessId: number, contactIds: readonly number[]): Promise<readonly number[]>;
  /** Those of the contacts that opted out. */
  optedOut(businessId: number, contactIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** What is left of the business's templates of this month; null where there is no limit. */
  remaining(businessId: number): Promise<number | null>;
}

export interface NewCampaigns extends StoredFields {
  /** Whatever the size: the recipients are taken as they come. The campaign's id. */
  add(campaign: NewCampaign, total: number, recipients: AsyncIterable<NewRecipient[]>): Promise<number>;
}

export type NewCampaignUnitOfWork = UnitOfWork<{ readonly campaigns: NewCampaigns }>;

/** A number that this worker drains; nobody else does as long as the fence stands. */
export interface SenderLease {
  readonly businessId: number;
  readonly sender: Sender;
  readonly fence: number;
  readonly messagesPerSecond: number;
  /** Milliseconds to wait before the first message: what another worker sent in this second counts too. */
  readonly waitMs: number;
}

export interface ClaimedRecipient {
  readonly campaignId: number;
  readonly position: number;
  readonly contactId: number;
  readonly phone: string;
  readonly parameters: readonly string[];
  readonly reference: string;
  readonly attempt: number;
  readonly setbacks: number;
}

export interface Claim {
  /** False once the lease is gone: another worker drains the number. */
  readonly held: boolean;
  readonly recipients: readonly ClaimedRecipient[];
  /** Campaigns of which recipients were skipped instead, because they opted out. */
  readonly skippedOf: readonly number[];
  /** Milliseconds until more comes due; null where nothing else waits. */
  readonly dueInMs: number | null;
  /** Messages that the business sent in the last second besides its campaigns, whatever it sent them from. */
  readonly sentDirectly: number;
}

export interface TriedRecipient extends ClaimedRecipient, Progress {}

/**
 * A recipient whose message is to be kept in the chat with its contact. One that was refused leaves none there, but
 * changes the one that stood there as unknown.
 */
export interface RecipientToRecord {
  readonly businessId: number;
  readonly campaignId: number;
  readonly position: number;
  readonly contactId: number;
  readonly parameters: readonly string[];
  readonly reference: string;
  readonly attempt: number;
  readonly state: RecipientState;
  readonly platformMessageId: string | null;
  readonly errorReason: string | null;
}

/** Hears of a number whose platform token cannot be opened, and which campaigns were paused for it. */
export type OnUnreadable = (businessId: number, campaignIds: readonly number[], error: Error) => void;

export interface CampaignQueue {
  /** Takes numbers that have something due and that nobody drains, by how long they wait. One whose token cannot be opened stops no other. */
  lease(worker: string, limit: number, onUnreadable: OnUnreadable): Promise<SenderLease[]>;
  /** @param restMs - how long nobody is to send from it; not at all unless given */
  release(lease: SenderLease, restMs?: number): Promise<void>;
  /** False once the lease is gone. */
  renew(lease: SenderLease): Promise<boolean>;
  /**
   * Takes the next recipients of the number's campaigns, in turns, and renews the lease. They are `sending` from
   * here on: whoever claims must send them within the time that their lease allows, or not at all.
   *
   * @param after - the campaign that was served last; the others come first
   */
  claim(lease: SenderLease, limit: number, after: number): Promise<Claim>;
  /** The campaigns' frozen parts, by id. */
  frozen(businessId: number, campaignIds: readonly number[]): Promise<Map<number, FrozenCampaign>>;
  /** Nothing more of the campaign is sent until it is resumed. */
  pause(businessId: number, campaignId: number, reason: string): Promise<void>;
  /** Marks the number's campaigns without open recipients as completed; their ids. */
  complete(businessId: number, senderId: number): Promise<number[]>;
  /**
   * Puts right what workers and operators who met left behind, over all businesses: campaigns without open
   * recipients that run on, and ended ones with some. The campaigns of which something is to be told, by business.
   */
  tidy(): Promise<Map<number, number[]>>;
  /** Logs where the campaigns stand, but for those of which that was logged within the last half second. */
  announce(businessId: number, campaignIds: readonly number[]): Promise<Announced>;
}

export interface Announced {
  readonly events: readonly LoggedEvent[];
  /** Those that were just told of, and are to be told of again. One that is gone is in neither. */
  readonly later: readonly number[];
}

export interface Statistics {
  /** Tells the planner of tables that grew so much that it knows next to nothing of them. */
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

/** A message of a campaign as its chat keeps it. */
export interface CampaignMessage {
  /** It was refused: nothing is kept but that, where it already stands in the chat. */
  readonly onlyIfKept: boolean;
  readonly contactId: number;
  readonly reference: string;
  readonly attempt: number;
  readonly body: string;
  readonly state: RecipientState;
  readonly platformMessageId: string | null;
  readonly errorReason: string | null;
}

/** What the messages of a campaign have in common. */
export interface CampaignOrigin {
  readonly campaignId: number;
  readonly templateId: number;
  readonly media: Media | null;
  readonly stepId: number;
  readonly tags: readonly number[];
  readonly channel: string;
  readonly authorName: string;
}

/** What of a try is written down. */
export type SettledTry = Omit<TriedRecipient, "phone" | "setbacks" | "recipientId">;

export interface CampaignRecipients {
  /** Writes down what came of tries, unless a delivery status told more; those whose message is to be kept. */
  settle(businessId: number, tried: readonly SettledTry[]): Promise<RecipientToRecord[]>;
  /** Recipients that the death of a worker left between claim and record: unknown now, unless more is known. */
  takeStragglers(limit: number): Promise<RecipientToRecord[]>;
  /** The frozen parts of the rows' campaigns, by id. */
  campaignsOf(businessId: number, rows: readonly RecipientToRecord[]): Promise<Map<number, FrozenCampaign>>;
}

/** What an answer told of a contact. */
export interface LearnedContact {
  readonly contactId: number;
  /** The number that the message went to. */
  readonly phone: string;
  /** Who it belongs to on the platform; null where the answer did not say. */
  readonly platformId: string | null;
  readonly optedOut: boolean;
}

/** Messages of a business, by campaign, and what their answers told. */
export interface CampaignNews {
  readonly businessId: number;
  readonly learned: readonly LearnedContact[];
  readonly campaigns: readonly { readonly origin: CampaignOrigin; readonly messages: readonly CampaignMessage[] }[];
}

export interface CampaignInbox {
  /**
   * Keeps the messages in the chats of their contacts, made where missing, with tags and funnel events. Called once in a
   * transaction: what it locks has an order.
   *
   * @param isHeard - false where nobody wants the events, which are logged all the same: none are given then
   */
  record(news: readonly CampaignNews[], isHeard: boolean): Promise<LoggedEvent[]>;
}

export interface RecordStores {
  readonly recipients: CampaignRecipients;
  readonly inbox: CampaignInbox;
}

export type RecordUnitOfWork = UnitOfWork<RecordStores>;

/** Time, for work that goes by it. */
export interface Timing {
  /** Milliseconds of a clock that never goes back, and goes on while the process is frozen. */
  now(): number;
  /** Resolves early, and does not reject, when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
