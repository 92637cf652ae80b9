import { randomUUID } from "node:crypto";
import { createClient } from "redis";
import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { Log } from "../../kernel/log.ts";

/** The other processes. A hint only: what does not arrive is found by their sweep. */
export interface Peers {
  start(): void;
  /** Returns at once, never throws. */
  tell(businessId: number, events: readonly LoggedEvent[]): void;
  /** Tells of something that is not logged. Returns at once, never throws; what is lost is not found again. */
  signal(businessId: number, signal: object): void;
  close(): void;
}

export interface PeerSettings {
  /** Without it a process is told nothing and finds everything by its sweep. */
  readonly redisUrl?: string;
  /** Installations that share a Redis need one each, or they would hear each other's events. */
  readonly redisPrefix?: string;
  readonly logger: Log;
}

/** Of interest to this process? Only then a message is parsed. */
export interface Hearing {
  wants(businessId: number): boolean;
  hear(businessId: number, events: readonly LoggedEvent[]): void;
  /** What the process `sender` gave to `signal`, as JSON has it. */
  hearSignal(businessId: number, sender: string, signal: unknown): void;
}

export function openPeers(settings: PeerSettings, hearing?: Hearing): Peers {
  const { redisUrl, redisPrefix = "recado", logger } = settings;
  return redisUrl === undefined ? noPeers : new RedisPeers(redisUrl, redisPrefix, logger, hearing);
}

const noPeers: Peers = { start() {}, tell() {}, signal() {}, close() {} };

/** For a process without sockets: tells those that have some. Without Redis their sweep finds the events. */
export class RealtimePublisher implements EventFeed {
  readonly reachesNobody: boolean;
  private readonly peers: Peers;

  constructor(settings: PeerSettings) {
    this.reachesNobody = settings.redisUrl === undefined;
    this.peers = openPeers(settings);
  }

  /** Connects in the background. */
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

/** A message holds at most so many events, so that one large change does not make one huge message. */
const eventsPerMessage = 200;
/** A Redis that takes nothing any more must not fill the memory: beyond this, messages of the same kind are dropped. */
const maxUnanswered = 100;

type Kind = "realtime" | "signals";
type RedisClient = ReturnType<typeof createClient>;

/**
 * Redis publish/subscribe: a channel per sender and business, `<prefix>:realtime:<process>:<business>`, and one with
 * `signals` in place of `realtime` for what is not logged.
 */
class RedisPeers implements Peers {
  private readonly self = randomUUID();
  private readonly publisher: RedisClient;
  private readonly subscriber: RedisClient | undefined;
  private readonly unanswered: Record<Kind, number> = { realtime: 0, signals: 0 };

  constructor(
    url: string,
    private readonly prefix: string,
    private readonly logger: Log,
    private readonly hearing?: Hearing,
  ) {
    this.publisher = this.client(url, "publisher");
    this.subscriber = hearing && this.client(url, "subscriber");
  }

  start(): void {
    this.connect(this.publisher);
    if (!this.subscriber) return;
    this.connect(this.subscriber);
    // Waits in the queue until there is a connection; the client repeats it on every later one by itself.
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
    for (const client of [this.publisher, this.subscriber]) if (client?.isOpen) client.destroy();
  }

  private send(kind: Kind, businessId: number, message: object): void {
    if (!this.publisher.isReady || this.unanswered[kind] >= maxUnanswered) return;
    this.unanswered[kind]++;
    this.publisher
      .publish(`${this.prefix}:${kind}:${this.self}:${businessId}`, JSON.stringify(message))
      .catch(() => {}) // The client's error handler has reported the broken connection.
      .finally(() => this.unanswered[kind]--);
  }

  private receive(kind: Kind, message: string, channel: string): void {
    try {
      const [sender = "", business] = channel.slice(`${this.prefix}:${kind}:`.length).split(":");
      const businessId = Number(business);
      if (sender === this.self || !this.hearing?.wants(businessId)) return;
      if (kind === "realtime") this.hearing.hear(businessId, parseEvents(message, businessId));
      else this.hearing.hearSignal(businessId, sender, JSON.parse(message));
    } catch (error) {
      this.logger.error({ err: error }, "A message of another process could not be read");
    }
  }

  private connect(client: RedisClient): void {
    client.connect().catch((error) => this.logger.warn({ err: error }, "Redis is not connected"));
  }

  private client(url: string, role: string): RedisClient {
    const client: RedisClient = createClient({
      url,
      name: `recado-${role}`,
      // A connection that died without a word is noticed by the missing answer to a ping.
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
    return client;
  }
}

/** Milliseconds, with jitter; never gives up, unlike the client's own after a timeout. */
const reconnectDelay = (retries: number): number => Math.min(50 * 2 ** retries, 2_000) + Math.random() * 200;

type EventMessage = Omit<LoggedEvent, "at"> & { readonly at: string };

const parseEvents = (message: string, businessId: number): LoggedEvent[] =>
  (JSON.parse(message) as EventMessage[]).map((event) => ({ ...event, businessId, at: new Date(event.at) }));
