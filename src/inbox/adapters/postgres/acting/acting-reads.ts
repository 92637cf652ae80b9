import type { Cells } from "../../../../infra/postgres/cells.ts";
import { jsonOf } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ActingReads, QuickReply, SeenChat } from "../../../application/acting/ports.ts";
import type { MessageView } from "../../../application/events.ts";
import type { Viewer } from "../../../domain/visibility.ts";
import { holderOf, windowed, windowUntil } from "../chat-sql.ts";
import { messageFields } from "../message-sql.ts";
import { isVisible, isWithinReach, viewerOf } from "../visibility-sql.ts";

const message = statement("acting_message")`
  select ${jsonOf<MessageView>(messageFields("message"))} as message from messages as message
  where message.business_id = $1 and message.id = $2`;

const quickReply = statement("acting_quick_reply")`
  with ${viewerOf("$1", "$2::bigint")}
  select reply.body, reply.media_url as "mediaUrl", reply.media_type as "mediaType", contact.name as "contactName",
         contact.phone as "contactPhone", contact.fields as "contactFields", users.name as "agentName",
         business.name as "businessName"
  from quick_replies as reply
  join businesses as business on business.id = reply.business_id
  left join users on users.business_id = reply.business_id and users.id = $5::bigint
  left join chats as chat on chat.business_id = reply.business_id and chat.id = $3 and ${isWithinReach}
  left join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  where reply.business_id = $1 and reply.id = $4`;

const chat = statement("acting_chat")`
  with ${viewerOf("$1", "$2::bigint")}
  select chat.contact_id as "contactId", chat.provider, contact.erased_at is not null as "isErased",
         ${holderOf("chat")} as holder,
         ${isVisible} as "isVisible", ${windowed("chat")} as "isWindowed",
         ${windowUntil("chat")} is not null as "isWindowOpen"
  from chats as chat
  join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  where chat.business_id = $1 and chat.id = $3 and ${isWithinReach}`;

export class PostgresActingReads implements ActingReads {
  constructor(private readonly cells: Cells) {}

  async message(businessId: number, messageId: number): Promise<MessageView | null> {
    const cell = this.cells.of(businessId);
    const [row] = await cell.rows<{ message: MessageView }>(message, [businessId, messageId]);
    return row?.message ?? null;
  }

  async quickReply(
    { businessId, agentId, userId }: Viewer,
    chatId: number,
    quickReplyId: number,
  ): Promise<QuickReply | null> {
    const values = [businessId, agentId, chatId, quickReplyId, userId];
    const [row] = await this.cells.of(businessId).rows<QuickReply>(quickReply, values);
    return row ?? null;
  }

  async chat({ businessId, agentId }: Viewer, chatId: number): Promise<SeenChat | null> {
    const values = [businessId, agentId, chatId];
    const [row] = await this.cells.of(businessId).rows<SeenChat>(chat, values);
    return row ?? null;
  }
}
