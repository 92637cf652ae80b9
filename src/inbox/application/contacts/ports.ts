import type { NoteInAudit } from "../../../kernel/audit.ts";
import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Forgotten } from "../../domain/forgotten.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { WholeContact } from "../events.ts";
import type { PageAsked } from "../reading/ports.ts";

export interface ContactFilter {
  /** Part of the name or number. */
  readonly text: string | null;
  readonly tagId: number | null;
  readonly optedOut: boolean | null;
}

export interface ListedContact extends WholeContact {
  /** Only chats that the viewer may see. */
  readonly chats: readonly {
    readonly chatId: number;
    readonly provider: string;
    /** Null if the chat was never in the inbox, for example when only a campaign wrote to it. */
    readonly lastMessageAt: string | null;
  }[];
  /** When the contact opted out of marketing; null if it did not. */
  readonly optedOutAt: string | null;
}

/** Erased contacts are left out. */
export interface ContactReads {
  /** Newest first; positions are ids. Returns one contact more than the page's limit if there is a next page. */
  contacts(viewer: Viewer, filter: ContactFilter, page: PageAsked<number>): Promise<ListedContact[]>;
  /** Rejects with `ContactNotFound`. */
  contact(viewer: Viewer, contactId: number): Promise<ListedContact>;
  /** All contacts that match, each once, newest first, in batches. */
  all(businessId: number, filter: ContactFilter, signal: AbortSignal): AsyncIterable<readonly WholeContact[]>;
  /** Sorted names of the contacts' custom fields; names beyond the first `mostFieldColumns` are left out. */
  fieldNames(businessId: number, filter: ContactFilter, signal?: AbortSignal): Promise<string[]>;
}

export interface NewContact {
  readonly businessId: number;
  readonly name: string;
  /** Digits. */
  readonly phone: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly tagIds: readonly number[];
  readonly optedOut: boolean;
}

/** Null leaves the value as it is; `fields` and `tagIds` replace all former ones. */
export type ContactChanges = { readonly [Field in Exclude<keyof NewContact, "businessId">]: NewContact[Field] | null };

/** The key of a contact: its number, or its id on a channel without numbers. */
export interface ContactName {
  /** Digits. */
  readonly phone: string | null;
  /** The channel of `platformId`; null if the contact has a number. */
  readonly knownOn: string | null;
  readonly platformId: string;
}

/** Null leaves the stored value as it is. Fields and tags are added to those of the contact. */
export interface ImportedContact {
  readonly phone: string;
  readonly name: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly tagNames: readonly string[];
  readonly optedOut: boolean | null;
}

export const refusedOutcomes = ["wrong_number", "unknown_tag", "too_many_fields"] as const;
export type RefusedOutcome = (typeof refusedOutcomes)[number];
export type ImportOutcome = "created" | "updated" | "unchanged" | RefusedOutcome;

/** Once a number was erased, every contact that has or gets the number is opted out, and stays so. */
export interface ContactEdits {
  /** Returns the tags that the business does not have. */
  unknownTags(businessId: number, tagIds: readonly number[]): Promise<number[]>;
  /** Returns the id. Rejects with `NumberTaken`. */
  create(contact: NewContact): Promise<number>;
  /** Locks the contact until the transaction ends; null if it does not exist or was erased. */
  hold(businessId: number, contactId: number): Promise<ContactName | null>;
  /** Reads a contact that `hold` locked. */
  held(businessId: number, contactId: number): Promise<WholeContact | null>;
  /**
   * Changes a contact that `hold` locked. Returns whether clients see a difference. Rejects with `NumberTaken`.
   *
   * @param name - the contact's new key
   */
  change(businessId: number, contactId: number, changes: ContactChanges, name: ContactName): Promise<boolean>;
  /** Logs `contact:changed`. Call it last in the transaction, because it locks the event counter. */
  announce(businessId: number, contactId: number): Promise<LoggedEvent[]>;
  /**
   * Creates or updates contacts by number; the numbers must be distinct. Returns the outcomes in order; null means
   * that a concurrent transaction gave the number to a contact, so the caller must retry in another transaction.
   */
  merge(businessId: number, contacts: readonly ImportedContact[]): Promise<(ImportOutcome | null)[]>;
}

export type ContactUnitOfWork = UnitOfWork<ContactEdits>;

/** The stored rows that imports refused. */
export interface RefusedErasure {
  /** Passes each stored part that may contain one of the numbers, in any spelling, to `edit`, and stores the result. */
  edit(businessId: number, numbers: readonly string[], edit: (content: string) => string): Promise<void>;
}

/** A keyed digest of a number or of an `erasedNameOf` text; it reveals nothing without this installation's secret. */
export type DigestOfNumber = (phone: string) => Uint8Array;

export interface ErasedContact {
  readonly id: number;
  readonly chatIds: readonly number[];
}

export interface Erasure extends ErasedContact {
  /** The number and the platform id; empty once the erasure is over. */
  readonly numbers: readonly string[];
  /** The channel of a contact without a number; null if the contact has a number. */
  readonly knownOn: ChatChannelName | null;
  /** Webhooks after this moment belong to a new contact with the same number; null before the erasure began. */
  readonly sentUntil: Date | null;
  /** Withdrawn files that still have to be deleted from storage. */
  readonly files: readonly string[];
  /** The platform's ids of the business's senders. */
  readonly senders: readonly string[];
  /**
   * `complete`: everything is erased, but a later pass looks for data that was written during the erasure. `over`: no
   * pass follows.
   */
  readonly progress: "none" | "begun" | "complete" | "over";
}

/** The result of one batch of erased messages. */
export interface ErasedMessages {
  /** The lowest id of the batch, to continue below it; null if this batch was the last. */
  readonly reached: number | null;
  /** Ids of the newest erased messages. */
  readonly newest: readonly number[];
  /** Names of the stored files of all messages of the batch. */
  readonly files: readonly string[];
}

/**
 * The inbox's own data of a contact. In one transaction, call the methods that write in the order below: it is the lock
 * order. `find` locks nothing and may be called at any point.
 */
export interface ContactErasure {
  find(businessId: number, contactId: number): Promise<Erasure | null>;
  /** Erases one batch of the chat's messages, newest first. If `before` is given, only ids below it. */
  eraseMessages(businessId: number, chatId: number, before: number | null): Promise<ErasedMessages>;
  /** Returns the contact's former numbers; null if a concurrent call erased it. */
  eraseContact(businessId: number, contactId: number): Promise<readonly string[] | null>;
  /**
   * Erases the contact's data in its conversations, chats and tickets, and in stored idempotency keys and responses.
   * Call it after `eraseContact`.
   */
  eraseTraces(businessId: number, contact: ErasedContact, numbers: readonly string[]): Promise<void>;
  /** Records that the rest of the erasure remains to be done. */
  begin(businessId: number, contactId: number, numbers: readonly string[]): Promise<void>;
  /** Records more withdrawn files. */
  addFiles(businessId: number, contactId: number, files: readonly string[]): Promise<void>;
  /** Logs the erased state of the contact and its chats. */
  announce(businessId: number, contact: ErasedContact): Promise<LoggedEvent[]>;
  /** Logs the erased state of the chat and of these messages. */
  announceMessages(businessId: number, chatId: number, ids: readonly number[]): Promise<LoggedEvent[]>;

  /**
   * Removes personal data from a batch of stored events numbered above `after`. Returns the last number of the batch,
   * or null if this batch was the last.
   */
  eraseEvents(businessId: number, contact: ErasedContact, after: number): Promise<number | null>;
  /**
   * Records the erasure as complete and these files as deleted. The erasure is repeated after one minute, and again
   * after 15 minutes, when all imports that ran during the first round have ended. Then the record is deleted.
   */
  complete(businessId: number, contactId: number, files: readonly string[]): Promise<void>;
  /** Claims due erasures. A claimed erasure that is not completed becomes due again after five minutes. */
  takeDue(limit: number): Promise<{ readonly businessId: number; readonly contactId: number }[]>;
}

/** Erases what another feature stores of a contact. */
interface FeatureErasure {
  erase(businessId: number, contact: ErasedContact): Promise<void>;
  /** Logs what `erase` changed. Call it last in the transaction; publish the events after the commit. */
  announce?(businessId: number, contact: ErasedContact): Promise<LoggedEvent[]>;
}

export interface FileErasure {
  /** Returns those files that the business uses nowhere else; from the commit on they are not served. */
  withdraw(businessId: number, names: readonly string[]): Promise<string[]>;
}

export interface ErasureStores {
  readonly note: NoteInAudit;
  /** Erasures of other features. Each runs in its own transaction. */
  readonly others: readonly FeatureErasure[];
  readonly contacts: ContactErasure;
  readonly files: FileErasure;
  /** Each removes the contact from the copies of stored events that another feature keeps. */
  readonly copies: readonly FeatureErasure[];
}

export type ErasureUnitOfWork = UnitOfWork<ErasureStores>;

export interface KeptPayload {
  readonly channel: ChatChannelName;
  readonly payload: string;
}

export interface SoughtPayloads {
  /** A payload matches if it contains one of these. */
  readonly texts: readonly string[];
  readonly channels: readonly ChatChannelName[];
  /** Only payloads received before this time; null for all. */
  readonly until: Date | null;
}

/** Removes one customer's data from a payload of the channel; null if nothing remains. */
export type PayloadWithout = (kept: KeptPayload, forgotten: Forgotten) => string | null;

/** Stored webhooks: those that wait to be processed, and those whose processing failed for good. */
export interface KeptPayloads {
  /** Replaces each matching payload with the result of `edit`; null deletes it. */
  edit(sought: SoughtPayloads, edit: (kept: KeptPayload) => string | null): Promise<void>;
}

/** Removes the CSV rows that have one of the numbers in any column and any spelling. */
export type RowsWithout = (rows: string, numbers: readonly string[]) => string;

/** Deletes withdrawn files from storage. Rejects if one could not be deleted. */
export type RemoveFiles = (businessId: number, names: readonly string[]) => Promise<void>;
