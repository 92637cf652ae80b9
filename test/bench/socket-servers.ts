import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "socket.io";
import { ChatVisibility } from "../../src/inbox/adapters/realtime/chat-visibility.ts";
import { inboxEvents } from "../../src/inbox/adapters/realtime/inbox-events.ts";
import type { InboxEvents } from "../../src/inbox/application/events.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import { PostgresEventLog } from "../../src/infra/postgres/event-log.ts";
import { eventColumns, loggingEvents } from "../../src/infra/postgres/log-events.ts";
import { RealtimeGateway } from "../../src/infra/realtime/gateway.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";

export const businessId = 1;

export interface SocketServerSettings {
  readonly kind: "gateway" | "bare";
  readonly databaseUrl: string;
  /** The number of users. Half of them see all chats. The others see only the chats of their queues. */
  readonly users: number;
}

/** The body of `POST /changes`, which makes changes at a fixed rate. */
export interface Changes {
  readonly perSecond: number;
  readonly count: number;
}

/** By event number: the time of the commit, in milliseconds of `clock`. Without a database, the time of the emit. */
export type Commits = Readonly<Record<number, number>>;

/** The time in milliseconds. All processes of the machine have the same clock. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** Makes a change and announces it. Returns the numbers and commit times of the change's events. */
type Change = () => Promise<readonly (readonly [number: number, committedAt: number])[]>;

/** An event with the database's time at the end of the statement. */
type CommittedEvent = LoggedEvent & { readonly committedAt: string };

const contact = { id: 7, name: "Carla Cliente", phone: "59170001234", platformId: "59170001234" };
const message: Omit<InboxEvents["message:new"], "audience"> = {
  chatId: 1,
  conversationId: 1,
  contact,
  message: {
    id: 1,
    direction: "in",
    kind: "text",
    body: "¿Tienen el mismo modelo en azul, en talla 38? Paso a recogerlo esta tarde si lo tienen.",
    mediaUrl: null,
    author: "contact",
    authorName: contact.name,
    state: "received",
    occurredAt: "2026-01-02T03:04:05.123456+00:00",
    platformMessageId: "wamid.HBgLNTkxNzAwMDEyMzQVAgASGBQzQTdBN0Y5QzE2RjA4OTc3QkE1RQA=",
    attachment: null,
    details: null,
    replyToId: null,
    internal: false,
    reactions: [],
    errorCode: null,
    errorReason: null,
  },
};
/** The chat waits for department 1, to which all agents belong. */
const payload: InboxEvents["message:new"] = { ...message, audience: { agentId: null, departmentId: 1 } };

const logMessage = {
  name: "bench-log-message",
  text: `
    with events as (select $1::bigint as business_id, 1 as position, 'message:new' as name, $2::jsonb as payload),
    ${loggingEvents}
    select ${eventColumns}, extract(epoch from clock_timestamp()) * 1000 as "committedAt" from logged`,
};

const translated = (event: LoggedEvent) => inboxEvents["message:new"](event.payload as InboxEvents["message:new"]);

/** Attaches the service's gateway to `server`. A change logs an event and publishes it. */
function gateway(server: HttpServer, { databaseUrl, users }: SocketServerSettings): Change {
  const settings = { url: databaseUrl, poolSize: 8, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 };
  const database = Database.open(settings, () => {});
  /** The agent's own queue, the common queue, and the queues of two departments. */
  const queuesOf = (agentId: number) => [agentId, 0, -1, -(agentId + 10)];
  const served = new RealtimeGateway({
    log: new PostgresEventLog(oneCell(database)),
    authenticate: async (token) => ({ businessId, userId: Number(token) }),
    authenticateKey: async () => null,
    visibility: new ChatVisibility({
      users: async (_businessId, ids) =>
        new Map(ids.map((id) => [id, { name: `User ${id}`, queues: id > users / 2 ? queuesOf(id) : null }])),
      audiences: async () => new Map(),
    }),
    translate: translated,
    corsOrigins: [],
    logger: { info() {}, warn() {}, error() {} },
  });
  served.attach(server);
  return async () => {
    const events = await database.rows<CommittedEvent>(logMessage, [businessId, JSON.stringify(payload)]);
    served.publish(events);
    return events.map(({ number, committedAt }) => [number, Number(committedAt)] as const);
  };
}

/** Attaches plain Socket.IO to `server`. A change emits the same object to all sockets, without a database. */
function bare(server: HttpServer): Change {
  const namespace = new Server(server, { serveClient: false }).of("/realtime");
  namespace.on("connection", (socket) => socket.emit("ready", { seq: 0 }));
  let number = 0;
  return async () => {
    number += 1;
    const at = new Date();
    const envelope = { empresa_id: businessId, at: at.toISOString(), seq: number };
    const event = { businessId, number, at, name: "message:new", payload };
    const wire = { ...envelope, ...translated(event) };
    const emittedAt = clock();
    namespace.emit("message:new", wire);
    return [[number, emittedAt]];
  };
}

/** Makes changes at a fixed rate, whether or not earlier changes have ended. */
async function make(change: Change, { perSecond, count }: Changes): Promise<Commits> {
  const started = clock();
  const made: ReturnType<Change>[] = [];
  for (let n = 0; n < count; n += 1) {
    const due = started + (n * 1_000) / perSecond;
    await sleep(Math.max(0, due - clock()));
    made.push(change());
  }
  return Object.fromEntries((await Promise.all(made)).flat());
}

/** Serves the sockets, and `POST /changes`, which makes the given `Changes` and returns their `Commits`. */
async function serve(settings: SocketServerSettings): Promise<void> {
  let change: Change | undefined;
  const answer = async (request: IncomingMessage): Promise<Commits> =>
    request.url === "/changes" && change ? make(change, (await json(request)) as Changes) : {};
  const server = createServer((request, response) => {
    answer(request).then(
      (commits) => response.end(JSON.stringify(commits)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  change = settings.kind === "gateway" ? gateway(server, settings) : bare(server);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  });
}

const [, program, settings] = process.argv;
if (program === import.meta.filename && settings) await serve(JSON.parse(settings));
