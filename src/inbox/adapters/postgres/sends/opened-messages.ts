import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { kindOf, type NewMessage, type OpenedMessage } from "../../../../messaging/public.ts";
import { messageState } from "../state-sql.ts";
import { findingConversations, findingThreads } from "../thread-sql.ts";

/**
 * Stores the message in the conversation that a CTE contains. `finding` defines that CTE, and `conversations` is its
 * name. Parameters of `finding` begin at $15.
 */
const opening = (name: string, finding: string, conversations: string): Statement => statement(name)`
  with ${finding}
  insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                        author_user_id, template_id, category_id, dated_at, takes_conversation, state, reference,
                        attempt, lease_until, reply_to_id, attachment)
  select business_id, chat_id, conversation_id, 'out', $2, $3, $4, $5, $6, $7::bigint, $8::bigint, $9::bigint,
         $10::timestamptz, $11::boolean, ${messageState.sending}, gen_random_uuid(), 1,
         now() + make_interval(secs => $12), $13::bigint, $14::jsonb
  from ${conversations}
  returning id, chat_id as "chatId", attempt, reference`;

const openForNumber = opening(
  "message_open",
  `wanted as (
      select $1::bigint as business_id, $15::text as provider, $16::text as customer, $17::text as name, $18::bytea as digest,
             null::text as ad_id
    ),
    ${findingThreads}`,
  "threads",
);

const openInChat = opening(
  "message_open_in_chat",
  `chat_keys as (
      select chat.business_id, chat.contact_id, chat.provider, null::text as ad_id
      from chats as chat where chat.business_id = $1 and chat.id = $15
    ),
    ${findingConversations}`,
  "open_conversations",
);

const openInConversation = opening(
  "message_open_in_conversation",
  "target as (select $1::bigint as business_id, $15::bigint as chat_id, $16::bigint as conversation_id)",
  "target",
);

/** The statement that stores the message, with the parameters that find the conversation. */
interface Place {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

export const forNumber = (channel: string, phone: string, contactName: string, digest: Uint8Array): Place => ({
  statement: openForNumber,
  values: [channel, phone, contactName, digest],
});

/** Uses the open conversation, or opens one. */
export const inChat = (chatId: number): Place => ({ statement: openInChat, values: [chatId] });

export const inConversation = (chatId: number, conversationId: number): Place => ({
  statement: openInConversation,
  values: [chatId, conversationId],
});

/**
 * Stores an outgoing message under a lease.
 *
 * @param leaseSeconds - must be longer than any request to a platform
 * @returns null if the chat does not exist
 */
export async function openMessage(
  queries: Queries,
  message: Omit<NewMessage, "thread">,
  channel: string,
  leaseSeconds: number,
  place: Place,
): Promise<OpenedMessage | null> {
  const { businessId, to, content, author, replyTo, takesConversation = false } = message;
  const [row] = await queries.rows<Pick<OpenedMessage, "id" | "chatId" | "attempt" | "reference">>(place.statement, [
    businessId,
    kindOf(content, channel),
    content.text,
    content.media?.link ?? null,
    author.kind,
    author.name,
    author.userId,
    message.templateId ?? null,
    message.categoryId ?? null,
    message.datedAt ?? null,
    takesConversation,
    leaseSeconds,
    replyTo?.id ?? null,
    content.media ? JSON.stringify({ kind: content.media.type }) : null,
    ...place.values,
  ]);
  if (!row) return null;
  const answered = replyTo?.platformMessageId ?? null;
  const opened = { businessId, to, channel, content, takesConversation, ...row };
  return answered === null ? opened : { ...opened, replyTo: answered };
}
