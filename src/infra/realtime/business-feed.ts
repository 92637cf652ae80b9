import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { View } from "./visibility.ts";
import { ready, resync, type WireEvent } from "./wire.ts";

/** A client of the feed. After `goLive` it gets the live events that it may hear. */
export interface Listener {
  readonly connected: boolean;
  /** Null for an App Key, whose view never changes. */
  readonly userId: number | null;
  readonly view: View;
  send(event: WireEvent): void;
  goLive(): void;
  /** Resolves when the client can take more. */
  ready(): Promise<void>;
}

interface FeedSettings {
  readonly log: EventLog;
  /** A client that missed more events gets `resync`. */
  readonly replayLimit: number;
  /** Sends the event to the live clients that may hear it. */
  readonly tellLive: (event: LoggedEvent) => void;
  readonly resyncLive: (number: number) => void;
  /** Returns the events that the client may hear today, or null if one of `events` changed the client's view. */
  readonly past: (events: readonly LoggedEvent[], listener: Listener) => Promise<Iterable<WireEvent> | null>;
  /** True if too many bytes wait for a client of the business. Further events should then be sent a little later. */
  readonly isCongested: () => boolean;
  /** Called when a read in the background failed. The next sweep tries again. */
  readonly onFailure: (error: unknown) => void;
}

const pageSize = 500;
/** Pages for clients that catch up are smaller, because each such client holds a page in memory. */
const pastPageSize = 200;

/**
 * Sends the events of one business to its clients in this process: each event once, in the order of the numbers. The
 * events may arrive in another order. `cursor` is the last number that was sent. The next event is sent at once; missing
 * events are read from the log.
 */
export class BusinessFeed {
  /** Undefined until the log has been read. */
  cursor: number | undefined;
  /** The highest event number that this process knows. */
  private heard = 0;
  private catchingUp: Promise<void> | undefined;
  private started: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly businessId: number,
    private readonly settings: FeedSettings,
  ) {}

  close(): void {
    this.closed = true;
  }

  /**
   * Takes committed events in any order and any number of times. An event is not sent directly if its batch is larger
   * than a page or clients are slow. To save memory, such events are read again from the log, page by page.
   */
  offer(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      this.heard = Math.max(this.heard, event.number);
      if (events.length > pageSize || this.settings.isCongested()) continue;
      if (event.number === (this.cursor ?? Number.NaN) + 1) this.advance(event);
    }
    this.catchUpInBackground();
  }

  /** Called if the log may have events that this process does not know. */
  async catchUpWithLog(): Promise<void> {
    this.heard = Math.max(this.heard, await this.lastInLog());
    await this.catchUp();
  }

  /** `last` is the log's last number, read when the cursor was at `cursorBefore`. */
  compare(last: number, cursorBefore: number): void {
    if (last < cursorBefore) {
      // This happens only if the database has lost events, for example after a restore from a backup.
      this.heard = last;
      this.skipTo(last);
    }
    this.heard = Math.max(this.heard, last);
    this.catchUpInBackground();
  }

  /**
   * Sends the client its events after `since`, then `ready`, and makes it live without a gap. Sends `resync` instead of
   * `ready` if these events are too many, were purged, or changed the client's view. Rejects if the log cannot be read.
   */
  async join(listener: Listener, since?: number): Promise<void> {
    this.started ??= this.findPosition().catch((error) => {
      // Otherwise the failed read would also turn the next clients away.
      this.started = undefined;
      throw error;
    });
    await this.started;
    // The log may have events, and changes of the client's view, that this process does not know yet.
    if (since !== undefined) await this.catchUpWithLog();
    const { key } = listener.view;
    let sent = since ?? this.position;
    while (sent < this.position && listener.connected && listener.view.key === key) {
      const page = await this.following(sent);
      if (page.length === 0 || !(await this.sendPast(page, listener))) break;
      sent += page.length;
    }
    // From the end of the loop to `goLive` nothing is awaited, so that no event is missed in between.
    if (!listener.connected || this.closed) return;
    listener.goLive();
    listener.send(sent === this.position && listener.view.key === key ? ready(sent) : resync(this.position));
  }

  /** False if the client must reload or has disconnected. */
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
    return this.cursor ?? 0;
  }

  private async findPosition(): Promise<void> {
    this.cursor = await this.lastInLog();
    this.catchUpInBackground();
  }

  private async lastInLog(): Promise<number> {
    return (await this.settings.log.lastNumbers([this.businessId])).get(this.businessId) ?? 0;
  }

  /** The next events after `sent`, at most a page. Empty if the client missed too many events or some were purged. */
  private async following(sent: number): Promise<readonly LoggedEvent[]> {
    const behind = this.position - sent;
    if (behind > this.settings.replayLimit) return [];
    const page = await this.settings.log.read(this.businessId, sent, Math.min(pastPageSize, behind));
    return page.every((event, index) => event.number === sent + 1 + index) ? page : [];
  }

  private catchUpInBackground(): void {
    this.catchUp().catch(this.settings.onFailure);
  }

  /** Only one read runs at a time. A call during a read returns the promise of that read. */
  private catchUp(): Promise<void> {
    if (this.cursor === undefined || this.cursor >= this.heard || this.closed) return Promise.resolve();
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
          if (this.settings.isCongested()) await nextTurn();
        }
      }
    } finally {
      this.catchingUp = undefined;
    }
  }

  private takeFromLog(event: LoggedEvent): void {
    if (event.number <= this.position) return;
    // Events are numbered without gaps, so the missing ones were purged.
    if (event.number > this.position + 1) this.skipTo(event.number - 1);
    this.advance(event);
  }

  /**
   * Called if the log returned no events after the cursor, although `heard` is higher. If the events were purged,
   * clients must reload. If the events never existed, `heard` was too high and is corrected.
   */
  private async giveUpOnMissing(): Promise<void> {
    const before = this.position;
    const last = await this.lastInLog();
    if (this.position !== before) return;
    this.heard = Math.max(before, last);
    if (last > before) this.skipTo(last);
  }

  private advance(event: LoggedEvent): void {
    if (this.closed) return;
    this.cursor = event.number;
    this.settings.tellLive(event);
  }

  /** Makes the live clients reload, because they have missed events up to `number`. */
  private skipTo(number: number): void {
    if (this.closed) return;
    this.cursor = number;
    this.settings.resyncLive(number);
  }
}
