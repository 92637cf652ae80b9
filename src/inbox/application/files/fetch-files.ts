import { Busy } from "../../../kernel/errors.ts";
import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { NudgedLoop } from "../../../kernel/nudged-loop.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import {
  type DeleteMedia,
  largestMedia,
  MediaEmpty,
  MediaNotFound,
  MediaQuotaReached,
  MediaTooLarge,
  MediaTypeRefused,
  type SenderDirectory,
  type StoreMedia,
} from "../../../messaging/public.ts";
import { contactsIn } from "../../domain/contact-cards.ts";
import { type FileTrouble, pauseAfter } from "../../domain/incoming-files.ts";
import type { ClaimedFile, FetchedFiles, FileAnswer, FileQueue, FileSources } from "./ports.ts";

export const fetchFilesSettings = {
  /** The most files that this process downloads at a time, apart from slow ones. */
  width: 16,
  /** The most files of one business at a time, in all processes. */
  ofOne: 4,
  /** After this many milliseconds, a download counts in `slowWidth` instead of `width`, unless `slowWidth` is full. */
  slowMs: 3_000,
  slowWidth: 48,
  /** Milliseconds after which an attempt is aborted. */
  longestMs: 330_000,
  /** Must be longer than `longestMs`. */
  leaseSeconds: 360,
};
export type FetchFilesSettings = Readonly<typeof fetchFilesSettings>;

type Outcome =
  /** `contacts` are read from a file of contact cards; empty for other files. */
  | { readonly kind: "stored"; readonly url: string; readonly contacts: readonly object[] }
  | { readonly kind: "gone"; readonly trouble: FileTrouble; readonly reason: string }
  | {
      readonly kind: "later";
      readonly trouble: FileTrouble;
      readonly reason: string;
      readonly retryAfterMs?: number;
    };

export interface MediaStore {
  readonly store: StoreMedia;
  readonly remove: DeleteMedia;
}

interface FetchFilesHears {
  onOutcome(file: ClaimedFile, outcome: "stored" | "gone" | "later" | "dropped", reason: string): void;
  /** Receives unexpected errors; `file` is null if the error concerns no single file. */
  onFailure(error: unknown, file: ClaimedFile | null): void;
}

/**
 * Copies the files of messages from the platforms into the media store, in the background. Several processes share the
 * work; a lease allows one attempt per file at a time.
 */
export class FetchFiles {
  private readonly quick = new Set<Promise<void>>();
  private readonly slow = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly loop: NudgedLoop;

  constructor(
    private readonly queue: FileQueue,
    private readonly unitOfWork: UnitOfWork<FetchedFiles>,
    private readonly sources: FileSources,
    private readonly senders: Pick<SenderDirectory, "find">,
    /** Null if no storage is configured. Each file is then retried for a day, in case storage is configured later. */
    private readonly media: MediaStore | null,
    private readonly feed: EventFeed,
    private readonly hears: FetchFilesHears,
    private readonly settings: FetchFilesSettings = fetchFilesSettings,
  ) {
    this.loop = new NudgedLoop(
      (signal) => this.fill(signal),
      (error) => hears.onFailure(error, null),
    );
  }

  /** Checks for due files in the background. Returns at once. */
  nudge(): void {
    this.loop.nudge();
  }

  /** Aborts running downloads, so that other processes can start them again at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    await Promise.all([...this.quick, ...this.slow]);
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const { width, ofOne, leaseSeconds } = this.settings;
    for (let room = width - this.quick.size; room > 0 && !signal.aborted; room = width - this.quick.size) {
      const files = await this.queue.claim(room, { ofOne, leaseSeconds });
      for (const file of files) this.begin(file);
      if (files.length < room) return;
    }
  }

  private begin(file: ClaimedFile): void {
    const work = this.fetch(file)
      .catch((error) => this.hears.onFailure(error, file))
      .finally(() => {
        clearTimeout(timer);
        this.quick.delete(work);
        this.slow.delete(work);
        this.nudge();
      });
    this.quick.add(work);
    const timer = setTimeout(() => this.makeRoom(work), this.settings.slowMs);
  }

  /** Counts a slow download in `slowWidth`, not in `width`, so that one hanging platform does not block the others. */
  private makeRoom(work: Promise<void>): void {
    if (this.slow.size >= this.settings.slowWidth) return;
    this.quick.delete(work);
    this.slow.add(work);
    this.nudge();
  }

  private async fetch(file: ClaimedFile): Promise<void> {
    const ended = new AbortController();
    const limits = [this.stopping.signal, ended.signal, AbortSignal.timeout(this.settings.longestMs)];
    try {
      const outcome = await this.attempt(file, AbortSignal.any(limits));
      await this.conclude(file, outcome);
    } finally {
      // Aborting frees the connection of content that was not read to its end.
      ended.abort();
    }
  }

  private async attempt(file: ClaimedFile, signal: AbortSignal): Promise<Outcome> {
    const { media } = this;
    if (!media) return later("not-stored", "no storage for files is configured");
    try {
      if (file.leftBehind !== null) await this.remove(file, file.leftBehind);
      const answer = await this.open(file, signal);
      return answer.kind === "content" ? await this.store(file, answer, media.store) : answer;
    } catch (error) {
      return this.outcomeOf(error, file);
    }
  }

  private async open(
    file: ClaimedFile,
    signal: AbortSignal,
  ): Promise<Exclude<FileAnswer, { kind: "gone" | "later" }> | Outcome> {
    const { businessId, channel, place } = file;
    if (place === null) return { kind: "content", content: this.queue.content(file), size: file.size };
    const source = this.sources[channel];
    if (!source) return later("unreachable", `the channel ${channel} is not configured`);
    const sender = await this.senders.find(businessId, channel, file.sender);
    if (!sender) return later("no-sender", "the sender was deleted");
    const answer = await source.open(sender, place, signal);
    if (answer.kind === "gone") return { ...answer, trouble: "not-there" };
    return answer.kind === "later" ? { ...answer, trouble: "unreachable" } : answer;
  }

  private async store(
    file: ClaimedFile,
    { content, size }: Extract<FileAnswer, { kind: "content" }>,
    store: StoreMedia,
  ): Promise<Outcome> {
    const beginning: Uint8Array[] = [];
    const url = await store.execute({
      businessId: file.businessId,
      userId: null,
      givenName: file.name ?? "",
      size: { least: size ?? 1, most: size ?? largestMedia },
      content: keeping(beginning, fromPlatform(content)),
      received: {
        onName: async (name) => {
          if (!(await this.queue.nameIt(file, name))) throw new Superseded("another attempt has begun");
        },
      },
    });
    // The extension can be trusted, because the media store chose it by the file's content.
    const contacts = url.endsWith(".vcf") ? contactsIn(Buffer.concat(beginning).toString()) : [];
    return { kind: "stored", url, contacts };
  }

  private outcomeOf(error: unknown, file: ClaimedFile): Outcome {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof PlatformBroke) return later("unreachable", reason);
    if (error instanceof MediaTooLarge) return { kind: "gone", trouble: "too-large", reason };
    if (error instanceof MediaTypeRefused) return { kind: "gone", trouble: "type-refused", reason };
    if (error instanceof MediaEmpty) return { kind: "gone", trouble: "empty", reason };
    if (error instanceof MediaQuotaReached) return later("no-room", reason);
    if (error instanceof Busy) return { ...later("no-room", reason), retryAfterMs: error.retryAfter * 1_000 };
    if (!(error instanceof Superseded)) this.hears.onFailure(error, file);
    return later("not-stored", reason);
  }

  private async conclude(file: ClaimedFile, outcome: Outcome): Promise<void> {
    const { businessId } = file;
    if (outcome.kind === "stored") {
      const { url, contacts } = outcome;
      const events = await this.unitOfWork.run(businessId, (files) => files.finish(file, url, contacts));
      // Null means that the file was erased or another attempt has begun, so the stored copy is not needed.
      if (!events) await this.remove(file, url.slice(url.lastIndexOf("/") + 1));
      this.tell(file, events, "stored", "");
    } else if (outcome.kind === "gone" || (file.isLast && !this.stopping.signal.aborted)) {
      const { trouble, reason } = outcome;
      const events = await this.unitOfWork.run(businessId, (files) => files.giveUp(file, trouble));
      this.tell(file, events, "gone", reason);
    } else {
      await this.postpone(file, outcome);
    }
  }

  private tell(file: ClaimedFile, events: LoggedEvent[] | null, outcome: "stored" | "gone", reason: string): void {
    if (events) this.feed.publish(events);
    this.hears.onOutcome(file, events ? outcome : "dropped", reason);
  }

  private async postpone(file: ClaimedFile, { reason, retryAfterMs }: Extract<Outcome, { kind: "later" }>) {
    const pauseMs = this.stopping.signal.aborted ? 0 : (retryAfterMs ?? pauseAfter(file.attempt, Math.random()));
    await this.queue.postpone(file, pauseMs, reason);
    this.hears.onOutcome(file, "later", reason);
  }

  /** Deletes a stored file. An incomplete upload is not found here; the media store's sweep deletes it later. */
  private async remove({ businessId }: ClaimedFile, name: string): Promise<void> {
    try {
      await this.media?.remove.execute({ businessId, name, uploadedBy: null });
    } catch (error) {
      if (!(error instanceof MediaNotFound)) throw error;
    }
  }
}

/** Reading the file from the platform failed, as opposed to writing it to the media store. */
class PlatformBroke extends Error {}

/** Another attempt at the file has begun, or the file was erased. */
class Superseded extends Error {}

const later = (trouble: FileTrouble, reason: string) => ({ kind: "later", trouble, reason }) as const;

/** The most bytes of a file's beginning that are kept in memory. Contact cards are read from these bytes. */
const keptBytes = 65_536;

async function* keeping(beginning: Uint8Array[], content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = keptBytes;
  for await (const chunk of content) {
    if (left > 0) beginning.push(chunk.subarray(0, left));
    left -= chunk.length;
    yield chunk;
  }
}

async function* fromPlatform(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((error: Error) => {
        throw new PlatformBroke(error.message);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}
