import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { PostgresEventLog } from "../../src/infra/postgres/event-log.ts";
import { eventColumns, loggingEvents } from "../../src/infra/postgres/log-events.ts";
import type { RealtimeIdentity } from "../../src/infra/realtime/client.ts";
import { RealtimeGateway } from "../../src/infra/realtime/gateway.ts";
import type { PresenceWords } from "../../src/infra/realtime/presence-words.ts";
import type { RealtimeSettings } from "../../src/infra/realtime/settings.ts";
import type { Visibility } from "../../src/infra/realtime/visibility.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import type { Log } from "../../src/kernel/log.ts";
import { openDatabase } from "../support/open-database.ts";

export const shopOrigin = "https://panel.example";

/** The default interval of the sweep, in milliseconds: an hour, so that no sweep runs during a test. */
const never = 3_600_000;

export const silent: Log = { info() {}, warn() {}, error() {} };

const everything = { key: "all" };

/** All users are active and hear everything. */
const open: Visibility = {
  everything,
  users: async (_businessId, userIds) => new Map(userIds.map((id) => [id, { name: `User ${id}`, view: everything }])),
  viewChangedBy: () => null,
  subjectOf: () => null,
  mayHear: () => true,
  audiences: async () => new Map(),
  gone: ({ id }) => ({ name: "gone", payload: { id } }),
};

/** Like `open`, but with an audience for every subject. */
export const withSubjects: Visibility = {
  ...open,
  audiences: async (_businessId, ids) => new Map(ids.map((id) => [id, {}])),
};

export const presence: PresenceWords = {
  typing: "typing",
  viewing: "viewing",
  subjectIn: (payload) => payload as number | null,
  toldTyping: (subject, user) => ({ name: "types", payload: { subject, user: user.name } }),
  toldViewing: (subject, users) => ({ name: "views", payload: { subject, users: users.map(({ name }) => name) } }),
};

const logEvents = {
  name: "test-log-events",
  text: `
    with events as (
      select $1::bigint as business_id, position, 'order:changed' as name, payload
      from jsonb_array_elements($2::jsonb) with ordinality as given(payload, position)
    ), ${loggingEvents}
    select ${eventColumns} from logged order by number`,
};

interface ServedGateway {
  readonly gateway: RealtimeGateway;
  readonly server: Server;
  readonly url: string;
  connections(): Promise<number>;
}

/** The database, the valid sessions, and what must be closed after a test. */
export class World {
  /** The identity of each token. Tests may change this map at any time. */
  readonly sessions = new Map<string, RealtimeIdentity>([
    ["ana", { businessId: 1, userId: 11 }],
    ["otto", { businessId: 2, userId: 22 }],
  ]);
  private readonly closing: (() => void | Promise<void>)[] = [];

  private constructor(
    readonly database: Database,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<World> {
    const { database, close } = await openDatabase(8);
    const world = new World(database, close);
    await world.query("insert into businesses (id, name) values (1, 'Ana'), (2, 'Otto')");
    return world;
  }

  query(text: string, values: unknown[] = []): Promise<object[]> {
    return this.database.rows({ name: "", text }, values);
  }

  /** Logs one event per payload without publishing it. */
  change(businessId: number, payloads: readonly object[] = [{}]): Promise<LoggedEvent[]> {
    return this.database.rows<LoggedEvent>(logEvents, [businessId, JSON.stringify(payloads)]);
  }

  async gateway(settings: Partial<RealtimeSettings> = {}): Promise<ServedGateway> {
    const server = createServer((request, response) => {
      if (!gateway.serve(request, response)) response.writeHead(404).end();
    });
    const gateway = new RealtimeGateway({
      log: new PostgresEventLog(oneCell(this.database)),
      authenticate: async (token) => this.sessions.get(token) ?? null,
      authenticateKey: async (key) => this.sessions.get(`key ${key}`) ?? null,
      visibility: open,
      translate: ({ payload }) => payload,
      corsOrigins: [shopOrigin],
      logger: silent,
      sweepMs: never,
      ...settings,
    });
    gateway.attach(server);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    this.onEnd(() => {
      gateway.close();
      server.close();
      server.closeAllConnections();
    });
    const connections = promisify(server.getConnections.bind(server));
    return { gateway, server, connections, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  client(url: string, auth: object, options: Partial<ManagerOptions & SocketOptions> = {}): TestClient {
    const client = new TestClient(url, auth, options);
    this.onEnd(() => void client.socket.disconnect());
    return client;
  }

  onEnd(close: () => void | Promise<void>): void {
    this.closing.unshift(close);
  }

  /** Closes what a test has opened, and empties the log. */
  async reset(): Promise<void> {
    for (const close of this.closing.splice(0)) await close();
    await this.query("delete from realtime_events");
    await this.query("delete from realtime_counters");
  }
}

interface Heard {
  readonly name: string;
  readonly seq: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A client that records its events. When it reconnects, it sends the last number that it saw. */
class TestClient {
  /** The event numbers of each connection, and the `since` that the client sent when it connected. */
  readonly streams: { since: number | undefined; numbers: number[] }[] = [];
  private since: number | undefined;
  readonly socket: Socket;
  readonly heard: Heard[] = [];
  readonly refusals: string[] = [];
  readonly refusalCodes: unknown[] = [];
  readonly farewells: string[] = [];
  /** The reasons of `access:ended`. */
  readonly endings: string[] = [];

  constructor(url: string, auth: { since?: unknown }, options: Partial<ManagerOptions & SocketOptions>) {
    if (typeof auth.since === "number") this.since = auth.since;
    this.socket = io(`${url}/realtime`, {
      forceNew: true,
      transports: ["websocket"],
      reconnectionDelay: 5,
      reconnectionDelayMax: 20,
      auth: (answer) => {
        if (this.heard.length > 0) this.since = this.lastSeen;
        answer({ ...auth, ...(this.since !== undefined && { since: this.since }) });
      },
      ...options,
    });
    this.socket.onAny((name, payload) => {
      if (name === "access:ended") this.endings.push(payload.reason);
      else this.heard.push({ name, seq: payload.seq, payload });
    });
    this.socket.io.on("open", () => this.writeDownStream());
    this.socket.on("connect_error", (error: Error & { readonly data?: { readonly code?: unknown } }) => {
      this.refusals.push(error.message);
      this.refusalCodes.push(error.data?.code);
    });
    this.socket.on("disconnect", (reason) => this.farewells.push(reason));
  }

  get lastSeq(): number {
    return this.heard.at(-1)?.seq ?? 0;
  }

  private get lastSeen(): number {
    return this.heard.reduce((last, { name, seq }) => (name === "resync" ? seq : Math.max(last, seq)), 0);
  }

  /** The events in order: `ready 3`, `order:changed 4`. */
  get story(): string[] {
    return this.heard.map(({ name, seq }) => `${name} ${seq}`);
  }

  get numbers(): number[] {
    return this.heard.filter(({ name }) => name === "order:changed").map(({ seq }) => seq);
  }

  /** The numbers without repeats: after a reconnect, Socket.IO's client may hand over events a second time. */
  get newNumbers(): number[] {
    let last = 0;
    return this.numbers.filter((seq) => {
      const isNew = seq > last;
      last = Math.max(last, seq);
      return isNew;
    });
  }

  private writeDownStream(): void {
    const stream = { since: undefined as number | undefined, numbers: [] as number[] };
    this.streams.push(stream);
    this.socket.io.engine.on("packet", ({ data }) => {
      stream.since ??= this.since;
      const [, seq] = /"order:changed",.*"seq":(\d+)/.exec(String(data)) ?? [];
      if (seq) stream.numbers.push(Number(seq));
    });
  }
}
