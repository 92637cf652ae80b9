import { io, type Socket } from "socket.io-client";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { Audience, ChatView, InboxEvents } from "../../src/inbox/application/events.ts";
import { eventColumns, loggingEvents } from "../../src/infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, type Heard, startWorld, type World } from "../support/world.ts";

const agent = (id: number, name: string) => ({
  id,
  name,
  email: `u${id}@b1.test`,
  roleId: 5,
  available: true,
});

export const users = { admin: 101, ana: 102, beto: 103, cira: 104 } as const;
export const departments = { sales: 101, service: 102 } as const;
export const chats = [101, 102, 103] as const;

/** A business with an administrator and three agents: one in each of two departments, and one without a department. */
const shop = aBusiness(1, {
  users: [
    { ...agent(users.admin, "Ada Admin"), roleId: 1 },
    agent(users.ana, "Ana"),
    agent(users.beto, "Beto"),
    agent(users.cira, "Cira"),
  ],
  departments: [
    { id: departments.sales, name: "Ventas", agentIds: [users.ana] },
    { id: departments.service, name: "Servicio", agentIds: [users.beto] },
  ],
  threads: chats.map((id) => aThread(id)),
});

const view = (chatId: number): Omit<ChatView, "supportUserId"> => ({
  chatId,
  contact: { id: chatId, name: "Carla Cliente", phone: "59170001", platformId: "59170001" },
  provider: "Cloud",
  adId: null,
  conversationId: null,
  state: "pending",
  botAvailable: false,
  lastMessageAt: "2026-01-02T03:04:05+00:00",
  lastMessage: null,
  unread: 0,
  windowed: true,
  windowUntil: null,
  tags: [],
  ticket: null,
  version: 1,
});

const logEvent = {
  name: "test-log-event",
  text: `
    with events as (select $1::bigint as business_id, 1 as position, $2::text as name, $3::jsonb as payload),
    ${loggingEvents}
    select ${eventColumns} from logged`,
};

/** Starts the service, opens sockets, and changes which users see a chat. */
export class LiveChats {
  private readonly sockets: Socket[] = [];

  private constructor(
    readonly world: World,
    private readonly otherwise: () => Promise<void>,
  ) {}

  static async open(settings: Parameters<typeof startWorld>[0] = {}): Promise<LiveChats> {
    const world = await startWorld({ businesses: [shop, aBusiness(2)], ...settings });
    return new LiveChats(world, () => world.stop());
  }

  async close(): Promise<void> {
    this.disconnect();
    await this.otherwise();
  }

  disconnect(): void {
    for (const socket of this.sockets.splice(0)) socket.disconnect();
  }

  async see(agentsSee: "own" | "department" | "all" | null): Promise<void> {
    await this.world.rows(
      "update businesses set feature_flags = feature_flags - 'agents_see' || jsonb_strip_nulls($1) where id = 1",
      [JSON.stringify({ agents_see: agentsSee })],
    );
  }

  /** Sets the chat's agent and department without an event. Returns the previous ones. */
  async hand(chatId: number, { agentId, departmentId }: Audience): Promise<Audience> {
    const [was] = await this.world.rows<Audience>(
      `with before as (
         select support_user_id as "agentId", department_id as "departmentId" from chats where business_id = 1 and id = $1
       ), attended as (
         update conversations set state = case when $2::bigint is null then 'pending' else 'in_progress' end
         where business_id = 1 and chat_id = $1 and closed_at is null
       ), moved as (
         update chats set support_user_id = $2, department_id = $3 where business_id = 1 and id = $1)
       select * from before`,
      [chatId, agentId, departmentId],
    );
    if (!was) throw new Error(`no chat ${chatId}`);
    return was;
  }

  /** Sets the chat's agent and department, and publishes the event, like a request does. */
  async transfer(chatId: number, audience: Audience): Promise<LoggedEvent> {
    const was = await this.hand(chatId, audience);
    return this.changed(chatId, audience, was);
  }

  changed(chatId: number, audience: Audience, was: Audience | null = null): Promise<LoggedEvent> {
    const payload = { ...view(chatId), supportUserId: audience.agentId, audience, was };
    return this.tell("chat:changed", payload satisfies InboxEvents["chat:changed"]);
  }

  async tell(name: string, payload: object, isPublished = true): Promise<LoggedEvent> {
    const [event] = await this.world.database.rows<LoggedEvent>(logEvent, [1, name, JSON.stringify(payload)]);
    if (!event) throw new Error("nothing was logged");
    if (isPublished) resolve(this.world.container, tokens.feed).publish([event]);
    return event;
  }

  async token(userId: number): Promise<string> {
    return this.world.sessionToken(userId);
  }

  /** Opens a socket for the user. The socket gets events from now on, or all events after the number `since`. */
  async listen(userId: number, since?: number): Promise<ChatListener> {
    return this.connect({ token: await this.token(userId), since });
  }

  /** The error of a refused client. */
  async refusal(auth: object, options: object = {}): Promise<string> {
    const socket = this.socket(auth, options);
    return new Promise((refused) => socket.on("connect_error", ({ message }) => refused(message)));
  }

  async connect(auth: object, options: object = {}): Promise<ChatListener> {
    const listener = new ChatListener(this.socket(auth, options));
    await listener.hears(({ name }) => name === "ready" || name === "resync");
    return listener;
  }

  private socket(auth: object, options: object): Socket {
    const socket = io(`${this.world.api}/realtime`, {
      forceNew: true,
      transports: ["websocket"],
      reconnection: false,
      auth,
      ...options,
    });
    this.sockets.push(socket);
    return socket;
  }
}

export class ChatListener {
  readonly heard: Heard[] = [];

  constructor(readonly socket: Socket) {
    socket.onAny((name: string, payload: Answer["json"]) => void this.heard.push({ name, payload }));
  }

  hears(matches: (event: Heard) => boolean): Promise<Heard> {
    return eventually(() => this.heard.find(matches));
  }

  /** The names of the chat's events, in order. */
  of(chatId: number): string[] {
    return this.heard.filter(({ payload }) => payload.chat_id === chatId).map(({ name }) => name);
  }

  named(name: string): Answer["json"][] {
    return this.heard.filter((event) => event.name === name).map(({ payload }) => payload);
  }

  /** Waits for this event or a later one. Earlier events have then arrived. The user must be able to see this event. */
  async caughtUpWith({ number }: LoggedEvent): Promise<void> {
    await this.hears(({ payload }) => payload.seq >= number);
  }
}
