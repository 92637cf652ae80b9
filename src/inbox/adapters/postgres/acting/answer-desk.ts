import type { Queries } from "../../../../infra/postgres/database.ts";
import { eventColumns } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { OpenedMessage } from "../../../../messaging/public.ts";
import type { AnswerDesk, MessageToOpen, MessageToReply, NewNote } from "../../../application/acting/ports.ts";
import { announcing, messageColumns } from "../announce-sql.ts";
import { inConversation, openMessage } from "../sends/opened-messages.ts";
import { messageState } from "../state-sql.ts";

const message = statement("desk_message")`
  select id, platform_message_id as "platformMessageId" from messages
  where business_id = $1 and chat_id = $2 and id = $3`;

const note = statement("desk_note")`
  with moved as (
    insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, author, author_name,
                                     author_user_id, reply_to_id, state, reference, internal)
    values ($1, $2, $3, 'out', 'note', $4, $5, $6, $7, $8, ${messageState.sent}, gen_random_uuid(), true)
    returning ${messageColumns}, null::text as before
  ),
  ${announcing()}
  select ${eventColumns} from logged order by number`;

export class PostgresAnswerDesk implements AnswerDesk {
  /** @param leaseSeconds - must be longer than any request to a platform */
  constructor(
    private readonly transaction: Queries,
    private readonly leaseSeconds: number,
  ) {}

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
    if (!entered) throw new Error("the event of a note is missing");
    return { id: (entered.payload as { readonly message: { readonly id: number } }).message.id, events };
  }

  async openMessage(message: MessageToOpen): Promise<OpenedMessage> {
    const { chat, conversationId, content, channel, to, author, templateId, replyTo } = message;
    // Only the chat's own channel knows the platform's id of the message that is replied to.
    const answered = replyTo && (channel === chat.provider ? replyTo : { ...replyTo, platformMessageId: null });
    const opened = await openMessage(
      this.transaction,
      {
        businessId: chat.businessId,
        to,
        content,
        author,
        takesConversation: true,
        ...(templateId !== null && { templateId }),
        ...(answered && { replyTo: answered }),
      },
      channel,
      this.leaseSeconds,
      inConversation(chat.chatId, conversationId),
    );
    if (!opened) throw new Error("a message was not entered");
    return opened;
  }
}
