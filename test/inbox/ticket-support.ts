import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";

export interface Desk {
  readonly departmentId: number | null;
  readonly stepId: number;
  readonly agentIds: readonly number[];
}

interface DeskPlan {
  readonly agents?: number;
  /** `null` is always open, `{}` is never open. */
  readonly hours?: object | null;
  readonly message?: string | null;
  readonly content?: string;
  readonly tags?: string;
  readonly agent?: (agentIds: readonly number[]) => string;
  readonly withoutDepartment?: boolean;
}

interface ChatState {
  readonly contact: string;
  readonly platform_id: string;
  readonly chat_id: number;
  readonly provider: string;
  readonly bot_available: boolean;
  readonly support_user_id: number | null;
  readonly last_message_at: Date | null;
  readonly conversation_id: number;
  readonly state: string;
}

interface StoredText {
  readonly id: number;
  readonly kind: string;
  readonly body: string;
  readonly author: string;
  readonly author_name: string;
  readonly state: string;
  readonly reference: string;
  readonly conversation_id: number;
  readonly error_code: number | null;
  readonly error_reason: string | null;
  readonly details: object | null;
}

/** Departments, requests and checks for one business. */
export class Tickets {
  private phones = 59_176_000_000;

  constructor(
    private readonly world: World,
    private readonly businessId = 1,
  ) {}

  newPhone(): string {
    this.phones += 1;
    return String(this.phones);
  }

  async agents(count: number): Promise<number[]> {
    const rows = await this.world.rows<{ id: number }>(
      `insert into users (business_id, name, role_id, available)
       select $1, 'Agente ' || n, 5, true from generate_series(1, $2::int) as n returning id`,
      [this.businessId, count],
    );
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  }

  /** Creates agents and a step, and a department that both belong to. `withoutDepartment` leaves the department out. */
  async desk(plan: DeskPlan = {}): Promise<Desk> {
    const { agents = 1, hours = null, message = null, content = "Hola, te atendemos", tags = null } = plan;
    const agentIds = await this.agents(agents);
    let departmentId: number | null = null;
    if (!plan.withoutDepartment) {
      const [department] = await this.world.rows<{ id: number }>(
        `insert into departments (business_id, name, opening_hours, out_of_hours_message) values ($1, 'Depto', $2, $3)
         returning id`,
        [this.businessId, hours && JSON.stringify(hours), message],
      );
      departmentId = department?.id ?? null;
      await this.join(departmentId ?? 0, agentIds);
    }
    return { departmentId, agentIds, stepId: await this.step(departmentId, content, tags, plan.agent?.(agentIds)) };
  }

  async join(departmentId: number, agentIds: readonly number[]): Promise<void> {
    await this.world.rows(
      "insert into department_agents (business_id, department_id, user_id) select $1, $2, unnest($3::bigint[])",
      [this.businessId, departmentId, agentIds],
    );
  }

  async step(departmentId: number | null, content = "Hola", tags: string | null = null, agent?: string) {
    const [step] = await this.world.rows<{ id: number }>(
      `insert into steps (business_id, name, identifier, type, content, department_id, tags, agent)
       values ($1, 'Hablar', gen_random_uuid(), 'ticket', $2, $3, $4, $5) returning id`,
      [this.businessId, content, departmentId, tags, agent ?? null],
    );
    return step?.id ?? 0;
  }

  async tags(count: number): Promise<number[]> {
    const rows = await this.world.rows<{ id: number }>(
      `insert into tags (business_id, name) select $1, gen_random_uuid() from generate_series(1, $2::int) returning id`,
      [this.businessId, count],
    );
    return rows.map(({ id }) => id);
  }

  create(stepId: number | string, phone: string, changes: object = {}): Promise<Answer> {
    const body = { empresa_id: this.businessId, phone_number: phone, ...changes };
    return this.world.post(`/chats/crear/ticket/business/${stepId}`, body, this.businessId);
  }

  /** Asks for a ticket. `ticket_id` is null if the chat has to wait for an agent. Throws if the request is refused. */
  async created(stepId: number, phone = this.newPhone()): Promise<{ chat_id: number; ticket_id: number | null }> {
    const { status, json, text } = await this.create(stepId, phone);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return json;
  }

  /** Lets the contact write, which opens the service window. */
  async customer(phone = this.newPhone(), text = "Quiero hablar con alguien"): Promise<string> {
    await this.world.control("POST", `/customers/${phone}/say`, { text, to: `number-${this.businessId}` });
    await eventually(async () => (await this.chat(phone)) !== undefined);
    return phone;
  }

  async chat(phone: string): Promise<ChatState | undefined> {
    const [chat] = await this.world.rows<ChatState>(
      `select contact.name as contact, contact.platform_id, chat.id as chat_id, chat.provider, bot_available,
              support_user_id, last_message_at, conversation.id as conversation_id, conversation.state
       from contacts as contact
       join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
       join conversations as conversation
         on conversation.business_id = chat.business_id and conversation.chat_id = chat.id and closed_at is null
       where contact.business_id = $1 and contact.phone = $2
       order by chat.id`,
      [this.businessId, phone],
    );
    return chat;
  }

  /** Outgoing messages and notes of the chat. */
  messages(chatId: number): Promise<StoredText[]> {
    return this.world.rows<StoredText>(
      "select * from messages where business_id = $1 and chat_id = $2 and direction = 'out' order by id",
      [this.businessId, chatId],
    );
  }

  async text(chatId: number): Promise<StoredText> {
    const texts = (await this.messages(chatId)).filter(({ kind }) => kind === "text");
    const [text, ...others] = texts;
    if (!text || others.length > 0) throw new Error(`${texts.length} texts in the chat ${chatId}`);
    return text;
  }

  async settledText(chatId: number): Promise<StoredText> {
    return await eventually(async () => {
      const text = await this.text(chatId);
      return text.state !== "sending" && text;
    });
  }

  accepted(phone: string): Promise<Answer["json"][]> {
    return this.world.control("GET", `/messages?to=${phone}`);
  }

  /** Waits until all texts are sent. */
  textsDone(): Promise<void> {
    return resolve(this.world.container, tokens.sendMessage).idle();
  }

  sweep(): Promise<number> {
    return resolve(this.world.container, tokens.assignWaitingTickets).execute();
  }

  /** The number of open tickets per agent. */
  async load({ agentIds }: Desk): Promise<number[]> {
    const rows = await this.world.rows<{ open: number }>(
      `select (select count(*) from tickets where business_id = $1 and agent_id = agent.id and closed_at is null) as open
       from unnest($2::bigint[]) as agent(id) order by agent.id`,
      [this.businessId, agentIds],
    );
    return rows.map(({ open }) => open);
  }

  ticketsOf(chatId: number) {
    return this.world.rows<{ id: number; agent_id: number; step_id: number; state: string; conversation_id: number }>(
      "select id, agent_id, step_id, state, conversation_id from tickets where business_id = $1 and chat_id = $2 order by id",
      [this.businessId, chatId],
    );
  }

  funnel(chatId: number) {
    return this.world.rows<{ type: string; step_id: number; tag_id: number | null; ticket_id: number }>(
      `select type, step_id, tag_id, ticket_id from funnel_events
       where business_id = $1 and chat_id = $2 order by type desc, tag_id`,
      [this.businessId, chatId],
    );
  }

  /** The names of the chat's logged events. */
  async events(chatId: number): Promise<string[]> {
    const rows = await this.world.rows<{ name: string }>(
      `select name from realtime_events where business_id = $1 and (payload->>'chatId')::bigint = $2 order by number`,
      [this.businessId, chatId],
    );
    return rows.map(({ name }) => name);
  }

  waiting(chatId: number) {
    return this.world.rows<{ step_id: number }>(
      "select step_id from waiting_tickets where business_id = $1 and chat_id = $2",
      [this.businessId, chatId],
    );
  }

  async setAvailable(agentIds: readonly number[], available: boolean): Promise<void> {
    await this.world.rows("update users set available = $3 where business_id = $1 and id = any($2)", [
      this.businessId,
      agentIds,
      available,
    ]);
  }

  async setHours({ departmentId }: Desk, hours: object | null): Promise<void> {
    await this.world.rows("update departments set opening_hours = $3 where business_id = $1 and id = $2", [
      this.businessId,
      departmentId,
      hours && JSON.stringify(hours),
    ]);
  }
}
