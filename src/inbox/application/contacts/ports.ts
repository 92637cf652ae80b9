import type { NoteInAudit } from "../../../kernel/audit.ts";
import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Forgotten } from "../../domain/forget-number.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { WholeContact } from "../events.ts";
import type { PageAsked, PageOf } from "../reading/ports.ts";

export interface ContactFilter {
  /** Part of the name or number. */
  readonly text: string | null;
  readonly tagId: number | null;
  readonly optedOut: boolean | null;
}

export interface ListedContact extends WholeContact {
  /** Those that the viewer may see. */
  readonly chats: readonly {
    readonly chatId: number;
    readonly provider: string;
    /** Null where nothing was written yet. */
    readonly lastMessageAt: string | null;
  }[];
  /** Since when it wants no marketing; null where it does. */
  readonly optedOutAt: string | null;
}

/** Contacts that were not erased. */
export interface ContactReads {
  /** Newest first; positions are ids. */
  contacts(
    viewer: Viewer,
    filter: ContactFilter,
    page: PageAsked<number>,
    signal?: AbortSignal,
  ): Promise<PageOf<ListedContact, number>>;
  contact(viewer: Viewer, contactId: number): Promise<ListedContact | null>;
  /** The names of the custom fields that the contacts have, in their order; of very many the first ones. */
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

/** What is null stays as it is; fields and tags that are given replace all. */
export type ContactChanges = { readonly [Field in Exclude<keyof NewContact, "businessId">]: NewContact[Field] | null };

/** What a contact is found by: its number, or its id on a channel without numbers. */
export interface ContactName {
  /** Digits. */
  readonly phone: string | null;
  /** The channel that `platformId` is of; null where there is a number. */
  readonly knownOn: string | null;
  readonly platformId: string;
}

/** A contact of an import. Null: nothing is said of it. Fields and tags are added to those that the contact has. */
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

/** A number that was once erased stays opted out: a contact that has it or gets it is opted out in any case. */
export interface ContactEdits {
  /** Of these tags the ones that the business does not have. */
  unknownTags(businessId: number, tagIds: readonly number[]): Promise<number[]>;
  /** The id. Rejects with `NumberTaken`. */
  create(contact: NewContact): Promise<number>;
  /** Locks the contact until the transaction ends; null where there is none. */
  hold(businessId: number, contactId: number): Promise<ContactName | null>;
  /** One that is held, as clients see it. */
  held(businessId: number, contactId: number): Promise<WholeContact | null>;
  /**
   * Of one that is held; whether clients see another contact now. Rejects with `NumberTaken`.
   *
   * @param name - what it is to be found by from now on
   */
  change(businessId: number, contactId: number, changes: ContactChanges, name: ContactName): Promise<boolean>;
  /** Logs `contact:changed`: the last thing that a transaction does. */
  announce(businessId: number, contactId: number): Promise<LoggedEvent[]>;
  /**
   * By number; no two of these share one. What became of each, in their order; null for one whose number somebody else
   * has just given to a contact: it is to be tried again, in another transaction.
   */
  merge(businessId: number, contacts: readonly ImportedContact[]): Promise<(ImportOutcome | null)[]>;
}

export type ContactUnitOfWork = UnitOfWork<{ readonly contacts: ContactEdits }>;

/** Rows that imports refused. */
export interface RefusedErasure {
  /** Puts what `edit` makes of it in the place of each part that may hold one of the numbers, however it is written. */
  edit(businessId: number, numbers: readonly string[], edit: (content: string) => string): Promise<void>;
}

/** Tells nothing of the number, or of what `erasedNameOf` makes of an id, without the secret of this installation. */
export type DigestOfNumber = (phone: string) => Uint8Array;

/** Whose data go. */
export interface ErasedContact {
  readonly id: number;
  readonly chatIds: readonly number[];
}

export interface Erasure extends ErasedContact {
  /** The number and the id on the platform; none once nothing can name them any more. */
  readonly numbers: readonly string[];
  /** The channel that knew the contact by an id of its own; null where numbers do. */
  readonly knownOn: ChatChannelName | null;
  /** What platforms sent later is of somebody who has written again since; null where it is not erased yet. */
  readonly sentUntil: Date | null;
  /** Stored files that are withdrawn and still to be removed. */
  readonly files: readonly string[];
  /** The platform's ids of the business's senders. */
  readonly senders: readonly string[];
  /** `completed`: all is gone that was there; what was under way meanwhile is still to be looked for. */
  readonly progress: "none" | "begun" | "complete" | "over";
}

/** What was erased of a chat at once. */
export interface ErasedMessages {
  /** The id down to which it looked; null where it came to the end. */
  readonly reached: number | null;
  /** The newest of those that were erased. */
  readonly newest: readonly number[];
  /** Names of stored files that they named. */
  readonly files: readonly string[];
}

/** What the inbox itself holds of a contact. What one transaction does of it, in this order: everybody locks so. */
export interface ContactErasure {
  find(businessId: number, contactId: number): Promise<Erasure | null>;
  /** Some messages of a chat, the newest first: of those with ids below `before`, where it is given. */
  eraseMessages(businessId: number, chatId: number, before: number | null): Promise<ErasedMessages>;
  /** The numbers that it had; null where somebody else erased it meanwhile. */
  eraseContact(businessId: number, contactId: number): Promise<readonly string[] | null>;
  /** Answers that are kept for requests that may be repeated, of the contact that is erased by now. */
  eraseAnswers(businessId: number, contactId: number): Promise<void>;
  eraseConversations(businessId: number, chatIds: readonly number[]): Promise<void>;
  eraseChats(businessId: number, chatIds: readonly number[]): Promise<void>;
  /** Notes that the rest of it remains to be done. */
  begin(businessId: number, contactId: number, numbers: readonly string[]): Promise<void>;
  /** More files that are withdrawn. */
  addFiles(businessId: number, contactId: number, files: readonly string[]): Promise<void>;
  /** Logs the contact and its chats, without what was erased. */
  announce(businessId: number, contact: ErasedContact): Promise<LoggedEvent[]>;
  /** Logs messages of a chat, without what was erased, and the chat. */
  announceMessages(businessId: number, chatId: number, ids: readonly number[]): Promise<LoggedEvent[]>;

  /**
   * Takes what is personal out of some of the events that are kept, those with numbers above `after`.
   *
   * @returns the number up to which it looked; null where it came to the end
   */
  eraseEvents(businessId: number, contact: ErasedContact, after: number): Promise<number | null>;
  /**
   * Notes that all is gone, and these files. What is still under way is to be looked for a minute later, and once more
   * when every import has ended; after that the erasure is forgotten.
   */
  complete(businessId: number, contactId: number, files: readonly string[]): Promise<void>;
  /** Takes erasures of which something remains to be done; others find them again some minutes later. */
  takeDue(limit: number): Promise<{ readonly businessId: number; readonly contactId: number }[]>;
}

/** What another feature holds of a contact. */
export interface FeatureErasure {
  erase(businessId: number, contact: ErasedContact): Promise<void>;
  /** Logs what `erase` changed in this transaction: the last thing that it does. To be published after the commit. */
  announce?(businessId: number, contact: ErasedContact): Promise<LoggedEvent[]>;
}

/** Stored files. */
export interface FileErasure {
  /** From the commit on they are not served any more: those of the names that nothing of the business holds. */
  withdraw(businessId: number, names: readonly string[]): Promise<string[]>;
}

export interface ErasureStores {
  readonly note: NoteInAudit;
  /** Each in a transaction of its own. */
  readonly others: readonly FeatureErasure[];
  readonly contacts: ContactErasure;
  readonly files: FileErasure;
  /** What others copied out of the events that are kept. */
  readonly copies: readonly FeatureErasure[];
}

export type ErasureUnitOfWork = UnitOfWork<ErasureStores>;

export interface KeptPayload {
  readonly id: number;
  readonly channel: ChatChannelName;
  readonly payload: string;
}

export interface SoughtPayloads {
  /** They hold one of these. */
  readonly texts: readonly string[];
  readonly channels: readonly ChatChannelName[];
  /** They came before; null for all. */
  readonly until: Date | null;
}

/** A payload without what concerns one customer, in the shape that the channel has; null where nothing of it may stay. */
export type PayloadWithout = (kept: Pick<KeptPayload, "channel" | "payload">, forgotten: Forgotten) => string | null;

/** What came in and is kept until it is worked off, or as what could not be. */
export interface KeptPayloads {
  /** With ids above `after`; none where no more are left. Of large ones fewer than `limit` at a time. */
  holding(sought: SoughtPayloads, after: number, limit: number): Promise<KeptPayload[]>;
  /** Null removes it. False where it is not any more as it was before. */
  replace(id: number, before: string, after: string | null): Promise<boolean>;
}

/** The rows without those that have one of the numbers in a cell, however it is written there. */
export type RowsWithout = (rows: string, numbers: readonly string[]) => string;

/** Removes files that were withdrawn, for good. Rejects where one could not be. */
export type RemoveFiles = (businessId: number, names: readonly string[]) => Promise<void>;
