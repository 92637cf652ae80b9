import { randomUUID } from "node:crypto";
import type { createClient } from "redis";
import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { Log } from "../../kernel/log.ts";

/** The other processes. If logged events are lost on the way, the receivers' next sweep finds them in the log. */
export interface Peers {
  start(): void;
  /** Sends logged events. Returns at once and never throws. */
  tell(businessId: number, events: readonly LoggedEvent[]): void;
  /** Sends something that is not logged. Returns at once and never throws; a lost signal stays lost. */
  signal(businessId: number, signal: object): void;
  close(): void;
}

export interface PeerSettings {
  /** Without it, a process finds the events of other processes at its next sweep. */
  readonly redisUrl?: string;
  /** Must differ for installations that share a Redis. */
  readonly redisPrefix?: string;
  readonly logger: Log;
}

interface PeerListener {
  wants(businessId: number): boolean;
  receive(businessId: number, events: readonly LoggedEvent[]): void;
  /** `sender` is the id of the other process. */
  receiveSignal(businessId: number, sender: string, signal: unknown): void;
}

export function openPeers(settings: PeerSettings, listener?: PeerListener): Peers {
  const { redisUrl, redisPrefix = "recado", logger } = settings;
  return redisUrl === undefined ? noPeers : new RedisPeers(redisUrl, redisPrefix, logger, listener);
}

const noPeers: Peers = { start() {}, tell() {}, signal() {}, close() {} };

/** Publishes the events of a process without sockets. */
export class RealtimePublisher implements EventFeed {
  readonly reachesNobody: boolean;
  private readonly peers: Peers;

  constructor(settings: PeerSettings) {
    this.reachesNobody = settings.redisUrl === undefined;
    this.peers = openPeers(settings);
  }

  start(): void {
    this.peers.start();
  }

  publish(events: readonly LoggedEvent[]): void {
    for (const [businessId, group] of groupBy(events, (event) => event.businessId)) this.peers.tell(businessId, group);
  }

  close(): void {
    this.peers.close();
  }
}

/** Larger batches are split into several messages. */
const eventsPerMessage = 200;
/** Messages of one kind that Redis has not answered. While there are so many, new ones are dropped to save memory. */
const maxUnanswered = 100;

type Kind = "realtime" | "signals";
type RedisClient = ReturnType<typeof createClient>;

/** Redis publish/subscribe with the channels `<prefix>:realtime:<process>:<business>` and `<prefix>:signals:…`. */
class RedisPeers implements Peers {
  private readonly self = randomUUID();
  private publisher: RedisClient | undefined;
  private subscriber: RedisClient | undefined;
  private isClosed = false;
  private readonly unanswered: Record<Kind, number> = { realtime: 0, signals: 0 };

  constructor(
    private readonly url: string,
    private readonly prefix: string,
    private readonly logger: Log,
    private readonly listener?: PeerListener,
  ) {}

  start(): void {
    this.open().catch((error) => this.logger.error({ err: error }, "The Redis client could not be loaded"));
  }

  /** Only processes that use Redis load its library, because it has 600 modules. */
  private async open(): Promise<void> {
    const redis = await import("redis");
    if (this.isClosed) return;
    this.publisher = this.connected(redis.createClient, "publisher");
    if (!this.listener) return;
    this.subscriber = this.connected(redis.createClient, "subscriber");
    // The client queues the subscription until it is connected, and repeats it after each reconnect.
    for (const kind of ["realtime", "signals"] as const) {
      this.subscriber
        .pSubscribe(`${this.prefix}:${kind}:*`, (message, channel) => this.receive(kind, message, channel))
        .catch((error) => this.logger.warn({ err: error }, "Redis did not take the subscription"));
    }
  }

  tell(businessId: number, events: readonly LoggedEvent[]): void {
    for (let start = 0; start < events.length; start += eventsPerMessage) {
      this.send("realtime", businessId, events.slice(start, start + eventsPerMessage));
    }
  }

  signal(businessId: number, signal: object): void {
    this.send("signals", businessId, signal);
  }

  close(): void {
    this.isClosed = true;
    for (const client of [this.publisher, this.subscriber]) if (client?.isOpen) client.destroy();
  }

  private send(kind: Kind, businessId: number, message: object): void {
    if (!this.publisher?.isReady || this.unanswered[kind] >= maxUnanswered) return;
    this.unanswered[kind]++;
    this.publisher
      .publish(`${this.prefix}:${kind}:${this.self}:${businessId}`, JSON.stringify(message))
      .catch(() => {}) // The client's error handler logs it.
      .finally(() => this.unanswered[kind]--);
  }

  private receive(kind: Kind, message: string, channel: string): void {
    try {
      const [sender = "", business] = channel.slice(`${this.prefix}:${kind}:`.length).split(":");
      const businessId = Number(business);
      if (sender === this.self || !this.listener?.wants(businessId)) return;
      if (kind === "realtime") this.listener.receive(businessId, parseEvents(message, businessId));
      else this.listener.receiveSignal(businessId, sender, JSON.parse(message));
    } catch (error) {
      this.logger.error({ err: error }, "A message of another process could not be read");
    }
  }

  /** Returns at once; the client connects in the background. */
  private connected(create: typeof createClient, role: string): RedisClient {
    const client: RedisClient = create({
      url: this.url,
      name: `recado-${role}`,
      // Pings detect a dead connection.
      pingInterval: 10_000,
      socket: { connectTimeout: 5_000, socketTimeout: 30_000, reconnectStrategy: reconnectDelay },
    });
    let down = false;
    client.on("error", (error) => {
      if (!down) this.logger.warn({ err: error, role }, "Redis is unreachable: events arrive with the next sweep");
      down = true;
    });
    client.on("ready", () => {
      if (down) this.logger.info({ role }, "Redis is back");
      down = false;
    });
    client.connect().catch((error) => this.logger.warn({ err: error }, "Redis is not connected"));
    return client;
  }
}

/** Milliseconds until the next attempt, with jitter. Unlike the library's default strategy, this one never gives up. */
const reconnectDelay = (retries: number): number => Math.min(50 * 2 ** retries, 2_000) + Math.random() * 200;

type EventMessage = Omit<LoggedEvent, "at"> & { readonly at: string };

const parseEvents = (message: string, businessId: number): LoggedEvent[] =>
  (JSON.parse(message) as EventMessage[]).map((event) => ({ ...event, businessId, at: new Date(event.at) }));
