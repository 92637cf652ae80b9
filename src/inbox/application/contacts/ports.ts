import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
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
  readonly chats: readonly { readonly chatId: number; readonly provider: string }[];
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

/** A contact of an import. Null: nothing is said of it. Fields and tags are added to those that the contact has. */
export interface ImportedContact {
  readonly phone: string;
  readonly name: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly tagNames: readonly string[];
  readonly optedOut: boolean | null;
}

export const importOutcomes = ["created", "updated", "unchanged", "unknown_tag", "too_many_fields"] as const;
export type ImportOutcome = (typeof importOutcomes)[number];

export interface ContactEdits {
  /** Of these tags the ones that the business does not have. */
  unknownTags(businessId: number, tagIds: readonly number[]): Promise<number[]>;
  /** The id. Rejects with `NumberTaken`. A number that was once erased begins opted out. */
  create(contact: NewContact): Promise<number>;
  /** Whether there is one. Rejects with `NumberTaken`. */
  change(businessId: number, contactId: number, changes: ContactChanges): Promise<boolean>;
  /** Logs `contact:changed`: the last thing that a transaction does. */
  announce(businessId: number, contactId: number): Promise<LoggedEvent[]>;
  /** By number; no two of these share one. What became of each, in their order. */
  merge(businessId: number, contacts: readonly ImportedContact[]): Promise<ImportOutcome[]>;
}

export type ContactUnitOfWork = UnitOfWork<{ readonly contacts: ContactEdits }>;

/** Texts that are kept for a day, in parts: rows that an import refused. */
export interface RefusedRows {
  add(businessId: number, file: string, part: number, content: string): Promise<void>;
  /** Null where there is no such part. */
  part(businessId: number, file: string, part: number): Promise<string | null>;
  purge(): Promise<void>;
}

/** Tells nothing of the number without the secret of this installation. */
export type DigestOfNumber = (phone: string) => Uint8Array;

export interface ErasedContact {
  readonly id: number;
  readonly phone: string | null;
  readonly platformId: string;
  readonly chatIds: readonly number[];
  /** The platform's ids of the business's senders. */
  readonly senders: readonly string[];
}

/** What the inbox itself holds of a contact. */
export interface ContactErasure {
  find(businessId: number, contactId: number): Promise<ErasedContact | null>;
  /** Names of stored files that its messages name. */
  filesOf(businessId: number, chatIds: readonly number[]): Promise<string[]>;
  /** Answers kept for requests that may be repeated. To be called while the texts are still there. */
  eraseAnswers(businessId: number, contact: ErasedContact): Promise<void>;
  eraseMessages(businessId: number, chatIds: readonly number[]): Promise<void>;
  eraseContact(businessId: number, contact: ErasedContact): Promise<void>;
  eraseChats(businessId: number, contact: ErasedContact): Promise<void>;
  /** Logs what was erased, without it: the contact, its chats, and the newest of their messages. */
  announce(businessId: number, contact: ErasedContact): Promise<LoggedEvent[]>;
  /** Takes what is personal out of the events that are kept. To be called after `announce`, whose lock others wait for. */
  eraseEvents(businessId: number, contact: ErasedContact): Promise<void>;
  /** Contacts whose erasure is to be completed, and notes that it is. */
  takeUnfinished(limit: number): Promise<{ readonly businessId: number; readonly contactId: number }[]>;
}

/** What another feature holds of a contact. */
export interface FeatureErasure {
  erase(businessId: number, contact: ErasedContact): Promise<void>;
}

export interface ErasureStores {
  readonly contacts: ContactErasure;
  readonly others: readonly FeatureErasure[];
}

export type ErasureUnitOfWork = UnitOfWork<ErasureStores>;

/** What came in and is kept until it is worked off, or as what could not be. */
export interface KeptPayloads {
  /** Those that hold one of the texts, with ids above `after`. */
  holding(texts: readonly string[], after: number, limit: number): Promise<{ id: number; payload: string }[]>;
  /** Null removes it. Only where it still is as it was. */
  replace(id: number, before: string, after: string | null): Promise<void>;
}

/** Removes stored files that nothing names any more. */
export type RemoveFiles = (businessId: number, names: readonly string[]) => Promise<void>;
