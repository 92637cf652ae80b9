import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { columnsOfRow, jsonOf, quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { agentRole } from "../../../../kernel/ids.ts";
import type { AgentView, MessageView } from "../../../application/events.ts";
import type {
  ChatCounts,
  ChatDetails,
  ChatFilter,
  ChatPosition,
  ConversationView,
  InboxReads,
  ListedChat,
  ListedTicket,
  PageAsked,
} from "../../../application/reading/ports.ts";
import { unannouncedStates } from "../../../domain/delivery.ts";
import { ChatNotFound, type Viewer } from "../../../domain/visibility.ts";
import { agentView } from "../agent-sql.ts";
import {
  agentOfTicket,
  chatJoins,
  departmentView,
  named,
  storedChatFields,
  ticketJoins,
  wholeContact,
} from "../chat-sql.ts";
import { messageFields } from "../message-sql.ts";
import { conversationState } from "../state-sql.ts";
import { isVisible, viewerOf } from "../visibility-sql.ts";
import { listChatsCall } from "./list-chats-sql.ts";

/** The true counts are the rows of `chat_counts` plus the changes that are not merged into it yet. */
const counts = statement("inbox_counts")`
  with ${viewerOf("$1", "$2::bigint")},
  chat as (
    select nullif(agent_id, 0) as support_user_id, nullif(department_id, 0) as department_id, state, chats, unread
    from (
      select agent_id, department_id, state, chats, unread from chat_counts where business_id = $1
      union all
      select agent_id, department_id, state, chats, unread from chat_count_changes where business_id = $1
    ) as counted
  ),
  visible as (
    select * from chat where state <> 'closed' and ${isVisible}
  )
  select coalesce(sum(chats) filter (where support_user_id = $3::bigint), 0)::bigint as mine,
         coalesce(sum(chats) filter (where support_user_id is null), 0)::bigint as unassigned,
         coalesce(sum(unread), 0)::bigint as unread,
         coalesce(sum(chats) filter (where state = ${conversationState.bot}), 0)::bigint as bot,
         coalesce(sum(chats) filter (where state = ${conversationState.pending}), 0)::bigint as pending,
         coalesce(sum(chats) filter (where state = ${conversationState.in_progress}), 0)::bigint as in_progress
  from visible`;

const mostConversations = 10;
const mostClosedTickets = 5;

const conversations = `
  coalesce((
    select jsonb_agg(${jsonOf<ConversationView>({
      ...columnsOfRow("latest", "id", "closeReason", "adId", "createdAt", "closedAt"),
      state: "case when latest.closed_at is null then latest.state else 'closed' end",
    })} order by latest.id desc)
    from (select * from conversations where business_id = chat.business_id and chat_id = chat.id
          order by id desc limit ${mostConversations}) as latest), '[]')`;

const tickets = `
  coalesce((
    select jsonb_agg(${jsonOf<ListedTicket>({
      ...columnsOfRow("ticket", "id", "state", "createdAt", "closedAt"),
      step: named("step"),
      department: departmentView,
      agent: agentOfTicket,
    })} order by ticket.closed_at is null desc, ticket.id desc)
    from (
      (select * from tickets where business_id = chat.business_id and chat_id = chat.id and closed_at is null)
      union all
      (select * from tickets where business_id = chat.business_id and chat_id = chat.id and closed_at is not null
       order by id desc limit ${mostClosedTickets})
    ) as ticket ${ticketJoins}
    left join users as agent on agent.business_id = ticket.business_id and agent.id = ticket.agent_id), '[]')`;

const details = statement("inbox_chat")`
  with ${viewerOf("$1", "$2::bigint")}
  select ${jsonOf<ChatDetails>({
    ...storedChatFields,
    wholeContact,
    conversations,
    tickets,
    referral: "chat.ad_referral",
    temperatures: `
      (select ${jsonOf<NonNullable<ChatDetails["temperatures"]>>({ ai: "ai_temperature", agent: "agent_temperature" })}
       from conversations where business_id = chat.business_id and chat_id = chat.id order by id desc limit 1)`,
  })} as chat
  from chats as chat
  ${chatJoins}
  where chat.business_id = $1 and chat.id = $3 and ${isVisible}`;

/** A single row with a null message means that the chat exists, but has no messages on this page. */
const messages = (name: string, range: string, order: string): Statement => statement(name)`
  with ${viewerOf("$1", "$2::bigint")}
  select page.message
  from chats as chat
  left join lateral (
    select message.id, ${jsonOf<MessageView>(messageFields("message"))} as message
    from messages as message
    where message.business_id = $1 and message.chat_id = chat.id and message.state not in (${quoted(...unannouncedStates)})
      ${range}
    order by message.id ${order} limit $4
  ) as page on true
  where chat.business_id = $1 and chat.id = $3 and ${isVisible}
  order by page.id ${order}`;
const latest = messages("inbox_messages", "", "desc");
const earlier = messages("inbox_messages_before", "and message.id < $5::bigint", "desc");
const following = messages("inbox_messages_after", "and message.id > $5::bigint", "asc");

const mostAgents = 1_000;

const agents = statement("inbox_agents")`
  select ${agentView} as agent
  from users as agent
  where agent.business_id = $1 and agent.role_id = ${agentRole} and agent.active
  order by agent.name, agent.id limit ${mostAgents}`;

type CountsRow = Omit<ChatCounts, "byState"> & ChatCounts["byState"];

export class PostgresInboxReads implements InboxReads {
  constructor(private readonly cells: Cells) {}

  chats(viewer: Viewer, filter: ChatFilter, page: PageAsked<ChatPosition>): Promise<ListedChat[]> {
    const { statement, values } = listChatsCall(viewer, filter, page);
    return this.cells.of(viewer.businessId).rows<ListedChat>(statement, values, page.signal);
  }

  async counts({ businessId, agentId, userId }: Viewer): Promise<ChatCounts> {
    const [row] = await this.cells.of(businessId).rows<CountsRow>(counts, [businessId, agentId, userId]);
    if (!row) throw new Error(`nothing was counted in business ${businessId}`);
    const { mine, unassigned, unread, ...byState } = row;
    return { mine, unassigned, unread, byState };
  }

  async chat({ businessId, agentId }: Viewer, chatId: number): Promise<ChatDetails> {
    const values = [businessId, agentId, chatId];
    const [row] = await this.cells.of(businessId).rows<{ chat: ChatDetails }>(details, values);
    if (!row) throw new ChatNotFound(`chat ${chatId}`);
    return row.chat;
  }

  messages(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<MessageView[]> {
    return this.thread(page.after === null ? latest : earlier, viewer, chatId, page);
  }

  messagesAfter(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<MessageView[]> {
    return this.thread(following, viewer, chatId, page);
  }

  async agents(businessId: number): Promise<AgentView[]> {
    const rows = await this.cells.of(businessId).rows<{ agent: AgentView }>(agents, [businessId]);
    return rows.map(({ agent }) => agent);
  }

  private async thread(
    statement: Statement,
    { businessId, agentId }: Viewer,
    chatId: number,
    { after, limit }: PageAsked<number>,
  ): Promise<MessageView[]> {
    const values = [businessId, agentId, chatId, limit + 1, ...(after === null ? [] : [after])];
    const rows = await this.cells.of(businessId).rows<{ message: MessageView | null }>(statement, values);
    if (rows.length === 0) throw new ChatNotFound(`chat ${chatId}`);
    return rows.flatMap(({ message }) => message ?? []);
  }
}
