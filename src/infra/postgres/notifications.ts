import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../../kernel/log.ts";

const longestPauseMs = 5_000;
const longestFarewellMs = 1_000;

export interface Heartbeat {
  /** Milliseconds between two questions whether the other side is still there. */
  readonly everyMs: number;
  /** Milliseconds that an answer may take. */
  readonly timeoutMs: number;
}

/**
 * Listens to one channel on a connection of its own and comes back by itself. `pg.Client` rather than the
 * pool: LISTEN belongs to its connection for good. Whoever only listens does not notice a network that has gone
 * silent, hence the heartbeat.
 */
export class Notifications {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private heart: NodeJS.Timeout | undefined;
  private closed = false;
  private failures = 0;
  private readonly hearers: ((payload: string) => void)[] = [];
  private readonly gapHearers: (() => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly log: Log,
    private readonly heartbeat: Heartbeat = { everyMs: 15_000, timeoutMs: 5_000 },
  ) {}

  /** False while notifications could be missed. */
  live = false;

  onNotification(hearer: (payload: string) => void): void {
    this.hearers.push(hearer);
  }

  /** Called each time listening begins: whatever was announced before was missed. */
  onGap(hearer: () => void): void {
    this.gapHearers.push(hearer);
  }

  /** Resolves when the first attempt has ended; a failed one is tried again in the background. */
  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5_000,
      query_timeout: this.heartbeat.timeoutMs,
      keepAlive: true,
      application_name: `recado listening to ${this.channel}`,
    });
    this.client = client;
    client.on("error", (error) => this.lose(client, error));
    client.on("end", () => this.lose(client));
    client.on("notification", ({ payload }) => {
      for (const hear of this.hearers) hear(payload ?? "");
    });
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(this.channel)}`);
    } catch (error) {
      return this.lose(client, error as Error);
    }
    if (this.client !== client) return;
    this.live = true;
    this.failures = 0;
    this.heart = setInterval(() => {
      client.query("select 1").catch((error: Error) => this.lose(client, error));
    }, this.heartbeat.everyMs);
    for (const hear of this.gapHearers) hear();
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

  private lose(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.closed) return;
    this.client = undefined;
    this.live = false;
    clearInterval(this.heart);
    if (error) this.log.warn({ err: error, channel: this.channel }, "stopped listening");
    client.end().catch(() => {});
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** this.failures++);
    this.retry = setTimeout(() => void this.start(), pauseMs);
    this.retry.unref();
  }
}
