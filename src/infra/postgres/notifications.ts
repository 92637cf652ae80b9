import pg from "pg";
import type { Log } from "../../kernel/log.ts";

const longestPauseMs = 5_000;

/**
 * Listens to one channel on a connection of its own and comes back by itself. `pg.Client` rather than the
 * pool: LISTEN belongs to its connection for good.
 */
export class Notifications {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  private failures = 0;
  private readonly hearers: ((payload: string) => void)[] = [];
  private readonly gapHearers: (() => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly log: Log,
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
    for (const hear of this.gapHearers) hear();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.live = false;
    clearTimeout(this.retry);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => {});
  }

  private lose(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.closed) return;
    this.client = undefined;
    this.live = false;
    if (error) this.log.warn({ err: error, channel: this.channel }, "stopped listening");
    client.end().catch(() => {});
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** this.failures++);
    this.retry = setTimeout(() => void this.start(), pauseMs);
    this.retry.unref();
  }
}
