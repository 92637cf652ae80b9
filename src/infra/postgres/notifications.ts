import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../../kernel/log.ts";

const longestPauseMs = 5_000;
const longestCloseMs = 1_000;
const tell = "select pg_notify($1, '')";

interface Heartbeat {
  /** Milliseconds between two heartbeats. */
  readonly everyMs: number;
  /** Milliseconds to wait for an answer. */
  readonly timeoutMs: number;
}

/** Whether notifications about the business may have been missed. */
type Concerns = (businessId: number) => boolean;

export interface Announcements {
  /** False while notifications about this business may be missed. */
  isLiveFor(businessId: number): boolean;
  /** Must be called before `start`, which listens to the channels known by then. */
  on(channel: string, listener: (payload: string) => void): void;
  /** Calls `wake` on each notification, and each time listening begins: earlier notifications may have been missed. */
  onWork(channel: string, wake: () => void): void;
  /**
   * Calls `listener` each time listening begins. Earlier notifications about the businesses for which `concerns`
   * returns true may have been missed.
   */
  onGap(listener: (concerns: Concerns) => void): void;
  /**
   * Notifies all processes, this one included. Returns at once and never throws. A notification may be lost; while
   * there is no connection, only this process gets it.
   */
  notify(channel: string): void;
  /** Resolves after the first attempt to connect. If that failed, further attempts follow in the background. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * LISTEN and NOTIFY for all channels on one connection, which is replaced when it breaks. The connection needs a
 * heartbeat, because a connection that only listens does not notice a dead network.
 */
export class Notifications implements Announcements {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private heart: NodeJS.Timeout | undefined;
  private closed = false;
  private failures = 0;
  private asked = Promise.resolve();
  private readonly listeners = new Map<string, ((payload: string) => void)[]>();
  private readonly gapListeners: ((concerns: Concerns) => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly log: Log,
    private readonly heartbeat: Heartbeat = { everyMs: 15_000, timeoutMs: 5_000 },
  ) {}

  live = false;

  isLiveFor(): boolean {
    return this.live;
  }

  on(channel: string, listener: (payload: string) => void): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  onWork(channel: string, wake: () => void): void {
    this.on(channel, wake);
    this.onGap(() => wake());
  }

  onGap(listener: (concerns: Concerns) => void): void {
    this.gapListeners.push(listener);
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
      for (const channel of this.listeners.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      return this.lose(client, error as Error);
    }
    if (this.client !== client) return;
    this.live = true;
    this.failures = 0;
    this.heart = setInterval(() => {
      this.ask(client, "select 1");
    }, this.heartbeat.everyMs);
    for (const listener of this.gapListeners) listener(() => true);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.live = false;
    clearTimeout(this.retry);
    clearInterval(this.heart);
    const { client } = this;
    this.client = undefined;
    if (client) await Promise.race([client.end().catch(() => {}), sleep(longestCloseMs, undefined, { ref: false })]);
  }

  /** Runs the queries one after the other. */
  private ask(client: pg.Client, sql: string, values: string[] = []): void {
    this.asked = this.asked.then(async () => {
      if (this.client === client) await client.query(sql, values).catch((error: Error) => this.lose(client, error));
    });
  }

  private hear(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(payload);
  }

  private lose(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.closed) return;
    this.client = undefined;
    this.live = false;
    clearInterval(this.heart);
    if (error) this.log.warn({ err: error }, "the connection for notifications broke; reconnecting");
    client.end().catch(() => {});
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** this.failures++);
    this.retry = setTimeout(() => void this.start(), pauseMs);
    this.retry.unref();
  }
}
