import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { View } from "./visibility.ts";
import { ready, resync, type WireEvent } from "./wire.ts";

/** One client. From `goLive` on it gets what the feed sends to live clients. */
export interface Listener {
  readonly connected: boolean;
  /** Null of a program, whose view never changes. */
  readonly userId: number | null;
  readonly view: View;
  send(event: WireEvent): void;
  goLive(): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

export interface FeedSettings {
  readonly log: EventLog;
  /** A client that is further behind than this many events is told to load anew. */
  readonly replayLimit: number;
  /** Tells the live clients, each what it may hear. */
  readonly tellLive: (event: LoggedEvent) => void;
  /** Tells all live clients. */
  readonly resyncLive: (number: number) => void;
  /**
   * What the client may hear today of events of the past; the others it misses, and nothing else. Null where one of them
   * changed what it may hear.
   */
  readonly past: (events: readonly LoggedEvent[], listener: Listener) => Promise<Iterable<WireEvent> | null>;
  /** Much has been sent in this turn of the event loop: what follows had better wait for the next. */
  readonly isPressed: () => boolean;
  /** A read in the background failed; it is tried again with the next sweep. */
  readonly onFailure: (error: unknown) => void;
}

const pageSize = 500;
/** Held in memory for each client that reads the past, for as long as it takes. */
const pastPageSize = 200;

/**
 * The events of one business on their way to the clients connected to this process, each number once and in
 * order, whatever order they are heard of in. `cursor` is the number sent last: its successor is sent at once,
 * a later number means that events in between are still to be read from the log.
 */
export class BusinessFeed {
  /** Unknown until the log has said where "now" is. */
  private reached: number | undefined;
  /** The highest number heard of. */
  private heard = 0;
  private catchingUp: Promise<void> | undefined;
  private started: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly businessId: number,
    private readonly settings: FeedSettings,
  ) {}

  get cursor(): number | undefined {
    return this.reached;
  }

  /** Nothing is sent from now on, whatever is still being read. */
  close(): void {
    this.closed = true;
  }

  /**
   * Events whose change is committed, in any order, any number of times. Of very many only the numbers are taken:
   * they are read back page by page, so that the process serves others in between and holds few in memory. The same
   * goes for events so large that clients need time to take them.
   */
  offer(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      this.heard = Math.max(this.heard, event.number);
      if (events.length > pageSize || this.settings.isPressed()) continue;
      if (event.number === (this.reached ?? Number.NaN) + 1) this.advance(event);
    }
    this.catchUpInBackground();
  }

  /** For when there may be more than this process has heard of: another one told it, or only the database. */
  async catchUpWithLog(): Promise<void> {
    this.heard = Math.max(this.heard, await this.lastInLog());
    await this.catchUp();
  }

  /** The log's last number is `last`, read when the cursor had reached `cursorBefore`. */
  compare(last: number, cursorBefore: number): void {
    if (last < cursorBefore) {
      // Only a database put back to an earlier state gives its numbers a second time.
      this.heard = last;
      this.skipTo(last);
    }
    this.heard = Math.max(this.heard, last);
    this.catchUpInBackground();
  }

  /**
   * Sends the client what came after `since` and goes live without a gap: `ready` follows the last event of the
   * past. Without `since` the past is empty. When that past is not to be had, or what the client may hear changed since
   * then, `resync` takes the place of both.
   * Rejects when the log cannot be read; a feed that nobody could join is of no more use.
   */
  async join(listener: Listener, since?: number): Promise<void> {
    this.started ??= this.findPosition();
    await this.started;
    // What the client missed, a change of what it may hear included, may be in the log and not yet heard of here.
    if (since !== undefined) await this.catchUpWithLog();
    const { key } = listener.view;
    let sent = since ?? this.position;
    while (sent < this.position && listener.connected && listener.view.key === key) {
      const page = await this.following(sent);
      if (page.length === 0 || !(await this.sendPast(page, listener))) break;
      sent += page.length;
    }
    // Nothing is awaited between the last look at the position and going live, so no event falls in between.
    if (!listener.connected || this.closed) return;
    listener.goLive();
    listener.send(sent === this.position && listener.view.key === key ? ready(sent) : resync(this.position));
  }

  /** False where the client has to load again instead. */
  private async sendPast(page: readonly LoggedEvent[], listener: Listener): Promise<boolean> {
    const { view } = listener;
    const events = await this.settings.past(page, listener);
    for (const wireEvent of events ?? []) {
      if (!listener.connected || listener.view.key !== view.key) return false;
      listener.send(wireEvent);
      await listener.ready();
    }
    return events !== null;
  }

  private get position(): number {
    return this.reached ?? 0;
  }

  private async findPosition(): Promise<void> {
    this.reached = await this.lastInLog();
    this.catchUpInBackground();
  }

  private async lastInLog(): Promise<number> {
    return (await this.settings.log.lastNumbers([this.businessId])).get(this.businessId) ?? 0;
  }

  /** The next events of those the cursor has passed; none when they are too many or no longer all in the log. */
  private async following(sent: number): Promise<readonly LoggedEvent[]> {
    const behind = this.position - sent;
    if (behind > this.settings.replayLimit) return [];
    const page = await this.settings.log.read(this.businessId, sent, Math.min(pastPageSize, behind));
    return page.every((event, index) => event.number === sent + 1 + index) ? page : [];
  }

  private catchUpInBackground(): void {
    this.catchUp().catch(this.settings.onFailure);
  }

  /** One reading at a time; what is heard of meanwhile is read by the same one. */
  private catchUp(): Promise<void> {
    if (this.reached === undefined || this.reached >= this.heard || this.closed) return Promise.resolve();
    this.catchingUp ??= this.readUpToHeard();
    return this.catchingUp;
  }

  private async readUpToHeard(): Promise<void> {
    try {
      while (this.position < this.heard && !this.closed) {
        const page = await this.settings.log.read(this.businessId, this.position, pageSize);
        if (page.length === 0) await this.giveUpOnMissing();
        for (const event of page) {
          this.takeFromLog(event);
          if (this.settings.isPressed()) await nextTurn();
        }
      }
    } finally {
      this.catchingUp = undefined;
    }
  }

  private takeFromLog(event: LoggedEvent): void {
    if (event.number <= this.position) return;
    // The log has no gaps: what is missing before this one was purged.
    if (event.number > this.position + 1) this.skipTo(event.number - 1);
    this.advance(event);
  }

  /** The log has nothing after the cursor: either that is how it is, or all of it was purged. */
  private async giveUpOnMissing(): Promise<void> {
    const before = this.position;
    const last = await this.lastInLog();
    if (this.position !== before) return;
    this.heard = Math.max(before, last);
    if (last > before) this.skipTo(last);
  }

  private advance(event: LoggedEvent): void {
    if (this.closed) return;
    this.reached = event.number;
    this.settings.tellLive(event);
  }

  /** What the live clients have does not lead up to `number`. */
  private skipTo(number: number): void {
    if (this.closed) return;
    this.reached = number;
    this.settings.resyncLive(number);
  }
}
