import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { Sender } from "../../../messaging/public.ts";
import type { FilePlace } from "../../domain/incoming.ts";
import type { FileTrouble } from "../../domain/incoming-files.ts";

export type FileAnswer =
  /** Reading throws if the connection breaks or the platform takes too long. */
  | { readonly kind: "content"; readonly content: AsyncIterable<Uint8Array>; readonly size: number | null }
  /** The platform does not know the file, or no longer has it. */
  | { readonly kind: "gone"; readonly reason: string }
  | { readonly kind: "later"; readonly reason: string; readonly retryAfterMs?: number };

/** Opens files at one platform, with the credentials of the business's sender in the chat. */
export interface FileSource {
  /** Never rejects. Aborting `signal` also aborts the content. */
  open(sender: Sender, place: FilePlace, signal: AbortSignal): Promise<FileAnswer>;
}

/** Null for a channel that is not configured. */
export type FileSources = Readonly<Record<ChatChannelName, FileSource | null>>;

export interface FileAttempt {
  readonly businessId: number;
  readonly messageId: number;
  /** Counted from 1. Only the latest attempt can change anything. */
  readonly attempt: number;
}

export interface ClaimedFile extends FileAttempt {
  readonly channel: ChatChannelName;
  /** The platform's id of the business's sender that received the file. */
  readonly sender: string;
  /** The file name that the message's author gave. */
  readonly name: string | null;
  /** Null if the webhook carried the content. `FileQueue.content` reads such content. */
  readonly place: FilePlace | null;
  /** Bytes, if the webhook carried the content. */
  readonly size: number | null;
  /** The name that an earlier attempt used in the media store; a file may remain there. */
  readonly leftBehind: string | null;
  /** The file was tried for a day; if this attempt fails, the file is given up. */
  readonly isLast: boolean;
}

export interface FileCounts {
  readonly due: number;
  readonly postponed: number;
  readonly underWay: number;
}

/** Files that still have to be downloaded. */
export interface FileQueue {
  /** Leases due files. Businesses take turns; within a business, the file that has been due longest comes first. */
  claim(limit: number, bounds: { readonly ofOne: number; readonly leaseSeconds: number }): Promise<ClaimedFile[]>;
  /** Reads content that the webhook carried. */
  content(file: FileAttempt): AsyncIterable<Uint8Array>;
  /**
   * Saves the name that the file will have in the media store. Returns false if a later attempt has begun or the file
   * was erased.
   */
  nameIt(file: FileAttempt, mediaName: string): Promise<boolean>;
  /** @param error - the reason for the delay, stored for operators */
  postpone(file: FileAttempt, pauseMs: number, error: string): Promise<void>;
  /** Counts at most 100,000 files in each cell. */
  counts(): Promise<FileCounts>;
}

/** Saves the result of a download in the file's message and logs the change. */
export interface FetchedFiles {
  /**
   * Null if a later attempt has begun, or the message or its file was erased.
   *
   * @param contacts - the contacts in a file of contact cards; stored only if the message shares contacts
   */
  finish(file: FileAttempt, url: string, contacts?: readonly object[]): Promise<LoggedEvent[] | null>;
  giveUp(file: FileAttempt, trouble: FileTrouble): Promise<LoggedEvent[] | null>;
}
