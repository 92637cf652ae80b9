import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { kindOf, type OpenedMessage } from "../../../messaging/public.ts";
import type {
  DepartmentLine,
  HeldChat,
  MessageToOpen,
  MessageToReply,
  NewNote,
  OpenConversation,
  WaitingChats,
  WaitingDesk,
} from "../../application/acting/ports.ts";
import type { ChatView } from "../../application/events.ts";
import type { AgentLine } from "../../application/ports.ts";
import type { Holder } from "../../domain/acting.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import { TagNotFound } from "../../domain/contact.ts";
import type { ConversationState } from "../../domain/conversation.ts";
import { type TicketEnd, ticketMoves } from "../../domain/ticket.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { announcing, messageColumns, told } from "./announce-sql.ts";
import { audienceOf, chatJoins, storedChatFields, windowed, windowUntil } from "./chat-sql.ts";
import { chatState, isChangedBy, messageState, stateAfter } from "./state-sql.ts";
import type { PostgresTicketDesk } from "./ticket-desk.ts";
import { isVisible, isWithinReach, viewerOf } from "./visibility-sql.ts";

/** Of several at once that find none open, all get the one that the first of them opens. */
const findOrOpen: Statement = {
  name: "desk_find_or_open",
  text: `
    insert into conversations as conversation (business_id, chat_id, state)
    select business_id, id, $3 from chats where business_id = $1 and id = $2
    on conflict (business_id, chat_id) where closed_at is null do update set chat_id = excluded.chat_id
    returning id as "conversationId", xmax = 0 as "isNew"`,
};

/**
 * The conversation first, then the chat: the order in which everybody locks them, which is why the condition looks at
 * `talk`. The columns of the answer are computed after the lock.
 */
const hold: Statement = {
  name: "desk_hold",
  text: `
    with ${viewerOf("$1", "$2::bigint")},
    talk as materialized (
      select id from conversations where business_id = $1 and chat_id = $4 and closed_at is null for no key update
    )
    select chat.business_id as "businessId", chat.id as "chatId", chat.state, chat.provider, chat.contact_id as "contactId",
           (select ${jsonOf<Holder>({ id: "users.id", name: "users.name" })} from users
            where users.business_id = chat.business_id and users.id = chat.support_user_id) as holder,
           ${isVisible} as "isVisible", ${windowed("chat")} as "isWindowed",
           ${windowUntil("chat")} is not null as "isWindowOpen", ${audienceOf("chat")} as audience,
           business.name as "businessName",
           (select name from users where users.business_id = $1 and users.id = $3::bigint) as "userName",
           coalesce((select id from talk), (
             select id from conversations where business_id = chat.business_id and chat_id = chat.id
             order by id desc limit 1)) as "conversationId"
    from chats as chat
    join businesses as business on business.id = chat.business_id
    where chat.business_id = $1 and chat.id = $4 and (select count(*) from talk) >= 0 and ${isWithinReach}
    for no key update of chat`,
};

/** Asked once the chat is locked: an erasure that was waited for is seen. */
const contactOf: Statement = {
  name: "desk_contact",
  text: `
    select coalesce(phone, '') as phone, coalesce(platform_id, '') as "platformId",
           erased_at is not null as "isErased"
    from contacts where business_id = $1 and id = $2`,
};

const movesOf = (move: keyof typeof ticketMoves): string =>
  `case ticket.state ${Object.entries(ticketMoves[move])
    .map(([before, after]) => `when '${before}' then '${after}'`)
    .join(" ")} else ticket.state end`;

const openTickets = "ticket.business_id = $1 and ticket.chat_id = $2 and ticket.closed_at is null";
const openConversation =
  "conversation.business_id = $1 and conversation.chat_id = $2 and conversation.closed_at is null";

const waitingNoMore = `
    served as (delete from waiting_tickets where business_id = $1 and chat_id = $2),
    found as (delete from waiting_chats where business_id = $1 and chat_id = $2)`;

const attend: Statement = {
  name: "desk_attend",
  text: `
    with talked as (
      update conversations as conversation set state = ${stateAfter("attend")}
      where ${openConversation} and ${isChangedBy("attend")}
    ),
    moved as (
      update tickets as ticket set state = ${movesOf("attend")}, agent_id = $3 where ${openTickets}
    ),
    ${waitingNoMore}
    update chats set support_user_id = $3, bot_available = false where business_id = $1 and id = $2`,
};

const queue: Statement = {
  name: "desk_queue",
  text: `
    with talked as (
      update conversations as conversation set state = ${stateAfter("queue")}
      where ${openConversation} and ${isChangedBy("queue")}
    ),
    moved as (
      update tickets as ticket set state = ${movesOf("queue")} where ${openTickets}
    ),
    ${waitingNoMore}
    update chats set support_user_id = null, bot_available = false, department_id = coalesce($3::bigint, department_id)
    where business_id = $1 and id = $2`,
};

const wait: Statement = {
  name: "desk_wait",
  text: `
    insert into waiting_chats as waiting (business_id, chat_id, department_id) values ($1, $2, $3)
    on conflict (business_id, chat_id) do update set department_id = excluded.department_id, since = now()`,
};

const close: Statement = {
  name: "desk_close",
  text: `
    with talked as (
      update conversations as conversation set closed_at = now(), close_reason = $4 where ${openConversation}
    ),
    ended as (
      update tickets as ticket set state = $3, closed_at = now(), close_reason = $4 where ${openTickets}
    ),
    ${waitingNoMore}
    update chats set bot_available = true where business_id = $1 and id = $2`,
};

const setBot: Statement = {
  name: "desk_bot",
  text: `
    update chats set bot_available = $3 where business_id = $1 and id = $2 and bot_available <> $3 returning id`,
};

/** A tag that is put on a chat is told to the funnel, as a step's tags are. */
const tag: Statement = {
  name: "desk_tag",
  text: `
    with known as (select id from tags where business_id = $1 and id = $3),
    tagged as (
      insert into chat_tags (business_id, chat_id, tag_id) select $1, $2, id from known on conflict do nothing
      returning tag_id
    ),
    passed as (
      insert into funnel_events (business_id, type, chat_id, tag_id) select $1, 'assigned_tag', $2, tag_id from tagged
    ),
    changed as (
      update chats set version = version + 1 where business_id = $1 and id = $2 and exists (select from tagged)
    )
    select exists (select from known) as known, exists (select from tagged) as changed`,
};

const untag: Statement = {
  name: "desk_untag",
  text: `
    with known as (select id from tags where business_id = $1 and id = $3),
    gone as (
      delete from chat_tags where business_id = $1 and chat_id = $2 and tag_id in (select id from known) returning tag_id
    ),
    changed as (
      update chats set version = version + 1 where business_id = $1 and id = $2 and exists (select from gone)
    )
    select exists (select from known) as known, exists (select from gone) as changed`,
};

/** The messages between the two marks were read only now: of these the last one of the customer gets the receipt. */
const read: Statement = {
  name: "desk_read",
  text: `
    with before as materialized (select read_up_to from chats where business_id = $1 and id = $2),
    now_read as (select id from before cross join lateral read_chat($1, $2, $3) as chat)
    select (
      select platform_message_id from messages
      where business_id = $1 and chat_id = $2 and direction = 'in' and id > (select read_up_to from before) and id <= $3
      order by id desc limit 1) as "receiptFor"
    from now_read`,
};

const message: Statement = {
  name: "desk_message",
  text: `
    select id, platform_message_id as "platformMessageId" from messages
    where business_id = $1 and chat_id = $2 and id = $3`,
};

const note: Statement = {
  name: "desk_note",
  text: `
    with moved as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, author, author_name,
                                       author_user_id, reply_to_id, state, reference, internal)
      values ($1, $2, $3, 'out', 'note', $4, $5, $6, $7, $8, ${messageState.sent}, gen_random_uuid(), true)
      returning ${messageColumns}, null::text as before
    ),
    ${announcing()}
    select ${eventColumns} from logged order by number`,
};

const openMessage: Statement = {
  name: "desk_open_message",
  text: `
    insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, attachment, author,
                          author_name, author_user_id, template_id, reply_to_id, takes_conversation, state, reference,
                          attempt, lease_until)
    values ($1, $2, $3, 'out', $4, $5, $6, $7, $8, $9, $10, $11, $12, true, ${messageState.sending},
            gen_random_uuid(), 1, now() + make_interval(secs => $13))
    returning id, attempt, reference`,
};

const announce: Statement = {
  name: "desk_announce",
  text: `
    with given as (select $3::jsonb as was),
    events as (
      select chat.business_id, 0 as position, ${told("chat:changed")}
      from chats as chat cross join given ${chatJoins}
      where chat.business_id = $1 and chat.id = $2
      union all
      select ticket.business_id, ticket.id, ${told("ticket:changed")}
      from tickets as ticket
      join chats as chat on chat.business_id = ticket.business_id and chat.id = ticket.chat_id
      join steps as step on step.business_id = ticket.business_id and step.id = ticket.step_id
      left join departments as department
        on department.business_id = step.business_id and department.id = step.department_id
      join users as agent on agent.business_id = ticket.business_id and agent.id = ticket.agent_id
      where ticket.business_id = $1 and ticket.chat_id = $2 and $4::boolean
        and (ticket.closed_at is null or ticket.closed_at = now())
    ),
    ${loggingEvents}
    select ${eventColumns} from logged order by number`,
};

const view: Statement = {
  name: "desk_view",
  text: `
    select ${jsonOf(storedChatFields)} as chat from chats as chat ${chatJoins}
    where chat.business_id = $1 and chat.id = $2`,
};

const activeUser: Statement = {
  name: "desk_user",
  text: "select id from users where business_id = $1 and id = $2 and active",
};

const department: Statement = {
  name: "desk_department",
  text: `
    select department.business_id as "businessId", department.id as "departmentId",
           department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
    from departments as department join businesses as business on business.id = department.business_id
    where department.business_id = $1 and department.id = $2`,
};

const forgetServed: Statement = {
  name: "desk_forget_served",
  text: `
    delete from waiting_chats as waiting using chats as chat
    where waiting.business_id = $1 and waiting.department_id = $2
      and chat.business_id = waiting.business_id and chat.id = waiting.chat_id
      and (chat.support_user_id is not null or chat.state <> ${chatState.pending}
           or chat.department_id is distinct from waiting.department_id)`,
};

const oldest: Statement = {
  name: "desk_oldest",
  text: `
    select chat_id as id from waiting_chats where business_id = $1 and department_id = $2
    order by since, chat_id limit $3`,
};

const lines: Statement = {
  name: "desk_lines",
  text: `
    select distinct waiting.business_id as "businessId", waiting.department_id as "departmentId",
           department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
    from waiting_chats as waiting
    join departments as department
      on department.business_id = waiting.business_id and department.id = waiting.department_id
    join businesses as business on business.id = waiting.business_id
    where (waiting.business_id, waiting.department_id) > ($1::bigint, $2::bigint)
    order by 1, 2 limit 200`,
};

type HeldContact = Pick<HeldChat, "phone" | "platformId" | "isErased">;

export class PostgresWaitingChats implements WaitingChats {
  constructor(private readonly cells: Cells) {}

  lines(after: Pick<DepartmentLine, "businessId" | "departmentId"> | null): Promise<DepartmentLine[]> {
    const values = [after?.businessId ?? 0, after?.departmentId ?? 0];
    return everywhere(this.cells, (cell) => cell.rows<DepartmentLine>(lines, values));
  }
}

export class PostgresChatDesk implements WaitingDesk {
  /**
   * @param tickets - on the same transaction
   * @param leaseSeconds - longer than any request to a platform may take
   */
  constructor(
    private readonly transaction: Queries,
    private readonly tickets: Pick<PostgresTicketDesk, "hold" | "tryHold" | "agents">,
    private readonly leaseSeconds: number,
  ) {}

  async openConversation(
    businessId: number,
    chatId: number,
    begins: ConversationState,
  ): Promise<OpenConversation | null> {
    const [row] = await this.transaction.rows<OpenConversation>(findOrOpen, [businessId, chatId, begins]);
    return row ?? null;
  }

  async hold({ businessId, agentId, userId }: Viewer, chatId: number): Promise<HeldChat | null> {
    const [chat] = await this.transaction.rows<HeldChat>(hold, [businessId, agentId, userId, chatId]);
    if (!chat) return null;
    const [contact] = await this.transaction.rows<HeldContact>(contactOf, [businessId, chat.contactId]);
    return { ...chat, ...contact };
  }

  async attend(businessId: number, chatId: number, agentId: number): Promise<void> {
    await this.transaction.rows(attend, [businessId, chatId, agentId]);
  }

  async queue(businessId: number, chatId: number, departmentId: number | null): Promise<void> {
    await this.transaction.rows(queue, [businessId, chatId, departmentId]);
  }

  async wait(businessId: number, chatId: number, departmentId: number): Promise<void> {
    await this.transaction.rows(wait, [businessId, chatId, departmentId]);
  }

  async close(businessId: number, chatId: number, end: TicketEnd, reason: string | null): Promise<void> {
    await this.transaction.rows(close, [businessId, chatId, end, reason]);
  }

  async setBot(businessId: number, chatId: number, isAvailable: boolean): Promise<boolean> {
    return (await this.transaction.rows(setBot, [businessId, chatId, isAvailable])).length > 0;
  }

  tag(businessId: number, chatId: number, tagId: number): Promise<boolean> {
    return this.retag(tag, businessId, chatId, tagId);
  }

  untag(businessId: number, chatId: number, tagId: number): Promise<boolean> {
    return this.retag(untag, businessId, chatId, tagId);
  }

  async read(businessId: number, chatId: number, upTo: number): Promise<{ receiptFor: string | null } | undefined> {
    const [row] = await this.transaction.rows<{ receiptFor: string | null }>(read, [businessId, chatId, upTo]);
    return row;
  }

  async message(businessId: number, chatId: number, messageId: number): Promise<MessageToReply | null> {
    const [row] = await this.transaction.rows<MessageToReply>(message, [businessId, chatId, messageId]);
    return row ?? null;
  }

  async note({ chat, conversationId, body, author, replyToId }: NewNote) {
    const { businessId, chatId } = chat;
    const { kind, name, userId } = author;
    const values = [businessId, chatId, conversationId, body, kind, name, userId, replyToId];
    const events = await this.transaction.rows<LoggedEvent>(note, values);
    const entered = events.find((event) => event.name === "message:new");
    if (!entered) throw new Error("a note was not told");
    return { id: (entered.payload as { readonly message: { readonly id: number } }).message.id, events };
  }

  async openMessage({ chat, conversationId, content, channel, to, author, templateId, replyTo }: MessageToOpen) {
    const { businessId, chatId } = chat;
    const { media } = content;
    const [row] = await this.transaction.rows<Pick<OpenedMessage, "id" | "attempt" | "reference">>(openMessage, [
      businessId,
      chatId,
      conversationId,
      kindOf(content, channel),
      content.text,
      media?.link ?? null,
      media ? JSON.stringify({ kind: media.type }) : null,
      author.kind,
      author.name,
      author.userId,
      templateId,
      replyTo?.id ?? null,
      this.leaseSeconds,
    ]);
    if (!row) throw new Error("a message was not stored");
    // Another channel knows nothing of the message that is answered.
    const answered = channel === chat.provider ? replyTo?.platformMessageId : null;
    const opened = { businessId, to, channel, content, takesConversation: true, ...row };
    return answered ? { ...opened, replyTo: answered } : opened;
  }

  announce({ businessId, chatId, audience }: HeldChat, withTickets: boolean): Promise<LoggedEvent[]> {
    const values = [businessId, chatId, JSON.stringify(audience), withTickets];
    return this.transaction.rows<LoggedEvent>(announce, values);
  }

  async view(businessId: number, chatId: number): Promise<ChatView> {
    const [row] = await this.transaction.rows<{ chat: ChatView }>(view, [businessId, chatId]);
    if (!row) throw new Error(`chat ${chatId} of business ${businessId} is gone`);
    return row.chat;
  }

  async hasUser(businessId: number, userId: number): Promise<boolean> {
    return (await this.transaction.rows(activeUser, [businessId, userId])).length > 0;
  }

  async department(businessId: number, departmentId: number): Promise<DepartmentLine | null> {
    const [line] = await this.transaction.rows<DepartmentLine>(department, [businessId, departmentId]);
    return line ?? null;
  }

  holdLine(line: AgentLine): Promise<Date> {
    return this.tickets.hold(line);
  }

  tryHoldLine(line: AgentLine): Promise<Date | null> {
    return this.tickets.tryHold(line);
  }

  agents(line: AgentLine): Promise<AgentLoad[]> {
    return this.tickets.agents(line, []);
  }

  async forgetServed({ businessId, departmentId }: DepartmentLine): Promise<void> {
    await this.transaction.rows(forgetServed, [businessId, departmentId]);
  }

  async oldest({ businessId, departmentId }: DepartmentLine, limit: number): Promise<number[]> {
    const rows = await this.transaction.rows<{ id: number }>(oldest, [businessId, departmentId, limit]);
    return rows.map(({ id }) => id);
  }

  private async retag(statement: Statement, businessId: number, chatId: number, tagId: number): Promise<boolean> {
    const [row] = await this.transaction.rows<{ known: boolean; changed: boolean }>(statement, [
      businessId,
      chatId,
      tagId,
    ]);
    if (!row?.known) throw new TagNotFound(`tag ${tagId}`);
    return row.changed;
  }
}
