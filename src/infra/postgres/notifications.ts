import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../../kernel/log.ts";

const longestPauseMs = 5_000;
const longestFarewellMs = 1_000;
const tell = "select pg_notify($1, '')";

export interface Heartbeat {
  /** Milliseconds between two questions whether the other side is still there. */
  readonly everyMs: number;
  /** Milliseconds that an answer may take. */
  readonly timeoutMs: number;
}

/** Whether news of the business were missed. */
type Concerns = (businessId: number) => boolean;

/** What processes tell each other. */
export interface Announcements {
  /** False while what concerns this business could be missed. */
  isLiveFor(businessId: number): boolean;
  /** Must be called before `start`, which listens to the channels that have a hearer by then. */
  on(channel: string, hearer: (payload: string) => void): void;
  /** Calls `wake` on each notification, and after a gap in listening, in which notifications may have been missed. */
  onWork(channel: string, wake: () => void): void;
  /** Called each time listening begins: whatever was announced before of the businesses that it concerns was missed. */
  onGap(hearer: (concerns: Concerns) => void): void;
  /**
   * Tells every process that hears the channel, this one included. Returns at once and never throws; what is lost must
   * do no harm. While nothing is live only this process hears it.
   */
  notify(channel: string): void;
  /** Resolves when the first attempt has ended; a failed one is tried again in the background. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What processes tell each other over NOTIFY, on one connection of its own for all channels, which comes back by
 * itself. `pg.Client` rather than the pool: LISTEN belongs to its connection for good. A connection that only
 * listens does not notice a network that has gone silent, hence the heartbeat.
 */
export class Notifications implements Announcements {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private heart: NodeJS.Timeout | undefined;
  private closed = false;
  private failures = 0;
  private asked = Promise.resolve();
  private readonly hearers = new Map<string, ((payload: string) => void)[]>();
  private readonly gapHearers: ((concerns: Concerns) => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly log: Log,
    private readonly heartbeat: Heartbeat = { everyMs: 15_000, timeoutMs: 5_000 },
  ) {}

  /** False while notifications could be missed. */
  live = false;

  isLiveFor(): boolean {
    return this.live;
  }

  on(channel: string, hearer: (payload: string) => void): void {
    this.hearers.set(channel, [...(this.hearers.get(channel) ?? []), hearer]);
  }

  onWork(channel: string, wake: () => void): void {
    this.on(channel, wake);
    this.onGap(() => wake());
  }

  onGap(hearer: (concerns: Concerns) => void): void {
    this.gapHearers.push(hearer);
  }

  notify(channel: string): void {
    const { client } = this;
    if (client && this.live) this.ask(client, tell, [channel]);
    else this.hear(channel, "");
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5_000,
      query_timeout: this.heartbeat.timeoutMs,
      keepAlive: true,
      application_name: "recado notifications",
    });
    this.client = client;
    client.on("error", (error) => this.lose(client, error));
    client.on("end", () => this.lose(client));
    client.on("notification", ({ channel, payload }) => this.hear(channel, payload ?? ""));
    try {
      await client.connect();
      for (const channel of this.hearers.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      return this.lose(client, error as Error);
    }
    if (this.client !== client) return;
    this.live = true;
    this.failures = 0;
    this.heart = setInterval(() => {
      this.ask(client, "select 1");
    }, this.heartbeat.everyMs);
    for (const hear of this.gapHearers) hear(() => true);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.live = false;
    clearTimeout(this.retry);
    clearInterval(this.heart);
    const { client } = this;
    this.client = undefined;
    if (client) await Promise.race([client.end().catch(() => {}), sleep(longestFarewellMs, undefined, { ref: false })]);
  }

  /** One after the other. */
  private ask(client: pg.Client, sql: string, values: string[] = []): void {
    this.asked = this.asked.then(async () => {
      if (this.client === client) await client.query(sql, values).catch((error: Error) => this.lose(client, error));
    });
  }

  private hear(channel: string, payload: string): void {
    for (const hearer of this.hearers.get(channel) ?? []) hearer(payload);
  }

  private lose(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.closed) return;
    this.client = undefined;
    this.live = false;
    clearInterval(this.heart);
    if (error) this.log.warn({ err: error }, "stopped listening");
    client.end().catch(() => {});
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** this.failures++);
    this.retry = setTimeout(() => void this.start(), pauseMs);
    this.retry.unref();
  }
}
