import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { Sender } from "../../../messaging/public.ts";
import type { FilePlace } from "../../domain/incoming.ts";
import type { FileTrouble } from "../../domain/incoming-files.ts";

export type FileAnswer =
  /** Reading it throws where the connection breaks or the platform takes too long. */
  | { readonly kind: "content"; readonly content: AsyncIterable<Uint8Array>; readonly size: number | null }
  /** It can never be had: the platform does not know it, or has it no more. */
  | { readonly kind: "gone"; readonly reason: string }
  /** Not now. */
  | { readonly kind: "later"; readonly reason: string; readonly retryAfterMs?: number };

/** Opens files of customers at one channel's platform, with the credentials of the sender that they came for. */
export interface FileSource {
  /** Never rejects. Where `signal` aborts, so does the content. */
  open(sender: Sender, place: FilePlace, signal: AbortSignal): Promise<FileAnswer>;
}

/** By channel; null where the channel is not configured. */
export type FileSources = Readonly<Record<ChatChannelName, FileSource | null>>;

/** One attempt to fetch the file of one message. */
export interface FileAttempt {
  readonly businessId: number;
  readonly messageId: number;
  /** The number of the attempt, from 1. Only the latest one can change anything. */
  readonly attempt: number;
}

export interface ClaimedFile extends FileAttempt {
  readonly channel: ChatChannelName;
  /** The platform's id of the sender. */
  readonly sender: string;
  /** What the customer calls it. */
  readonly name: string | null;
  /** Null if its content came with the message: `content` reads it. */
  readonly place: FilePlace | null;
  /** Bytes of the content that came with the message. */
  readonly size: number | null;
  /** What an earlier attempt called it in the media store, where it may have left it. */
  readonly leftBehind: string | null;
  /** It was tried for a day: it is not tried again. */
  readonly isLast: boolean;
}

export interface FileCounts {
  readonly due: number;
  readonly postponed: number;
  readonly underWay: number;
}

/** Files that are still to be fetched. */
export interface FileQueue {
  /** Takes files that are due under a lease, in turns among businesses: the longest due of each. */
  claim(limit: number, bounds: { readonly ofOne: number; readonly leaseSeconds: number }): Promise<ClaimedFile[]>;
  /** The content that came with the message. */
  content(file: FileAttempt): AsyncIterable<Uint8Array>;
  /** Notes what the file will be called in the media store. False if the attempt is not the latest one any more. */
  nameIt(file: FileAttempt, mediaName: string): Promise<boolean>;
  /** @param error - for operators */
  postpone(file: FileAttempt, pauseMs: number, error: string): Promise<void>;
  /** Counted up to 100,000. */
  counts(): Promise<FileCounts>;
}

/** Messages whose files have been fetched or given up on, with the events that announce it. */
export interface FetchedFiles {
  /** Null if the attempt is not the latest one any more, or the message or its file was erased. */
  finish(file: FileAttempt, url: string): Promise<LoggedEvent[] | null>;
  giveUp(file: FileAttempt, trouble: FileTrouble): Promise<LoggedEvent[] | null>;
}

export interface FileStores {
  readonly files: FetchedFiles;
}
