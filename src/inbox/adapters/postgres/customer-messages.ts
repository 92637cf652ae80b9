import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { DigestOfNumber } from "../../application/contacts/ports.ts";
import type { IncomingMessage } from "../../domain/incoming.ts";
import { inChunks, type MessageNews } from "./news.ts";
import { messageState } from "./state-sql.ts";
import { findingThreads } from "./thread-sql.ts";

/**
 * The threads of messages that are not stored yet; missing contacts, chats and conversations are made. Of a contact whose
 * number was changed the platform still has the old id: once they write from the new number, that becomes their id on
 * the platform. It stays as it is where the contact has a chat on another channel, which may know them by the old one.
 */
const findThreads: Statement = {
  name: "incoming_threads",
  text: `
    with given as (
      select sender.business_id, news.*
      from jsonb_to_recordset($1::jsonb) as news(position integer, sender text, phone text, digest text, name text,
                                                 message_id text, ad_id text)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
    ),
    fresh as (
      select * from given where not exists (
        select from messages as message
        where message.business_id = given.business_id and message.platform_message_id = given.message_id)
    ),
    wanted as (
      select distinct on (business_id, phone) business_id, $2::text as provider, phone, decode(digest, 'hex') as digest,
             name, ad_id
      from fresh
      order by business_id, phone, position
    ),
    ${findingThreads},
    renumbered as (
      update contacts as contact set platform_id = contact.phone
      from known_contacts as known
      where known.platform_id <> known.phone
        and contact.business_id = known.business_id and contact.id = known.contact_id and contact.phone = known.phone
        and not exists (
          select from chats as other
          where other.business_id = contact.business_id and other.contact_id = contact.id and other.provider <> $2)
    )
    select fresh.position, fresh.business_id, threads.chat_id, threads.conversation_id, threads.begins
    from fresh join threads using (business_id, phone)`,
};

const store: Statement = {
  name: "incoming_messages",
  text: `
    insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, author,
                                     author_name, state, platform_message_id, occurred_at)
    select business_id, chat_id, conversation_id, 'in', kind, body, details, 'contact', author_name, ${messageState.received},
           message_id, occurred_at
    from jsonb_to_recordset($1::jsonb) as news(
      position integer, business_id bigint, chat_id bigint, conversation_id bigint, message_id text, kind text,
      body text, details jsonb, author_name text, occurred_at timestamptz)
    order by business_id, position
    on conflict (business_id, platform_message_id) where platform_message_id is not null do nothing
    returning message.business_id, message.id, message.chat_id, message.conversation_id, null::text as before,
              message.state, message.platform_message_id`,
};

/** Names the messages that new ones answer, where they are in the same chat; one may have come together with its answer. */
const link: Statement = {
  name: "incoming_replies",
  text: `
    update messages as message set reply_to_id = answered.id
    from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, chat_id bigint, reply_to text)
    join messages as answered
      on answered.business_id = news.business_id and answered.platform_message_id = news.reply_to
         and answered.chat_id = news.chat_id
    where message.business_id = news.business_id and message.id = news.id`,
};

/** The place of one message in the inbox. */
interface Thread {
  /** Of the message, among those that were given. */
  readonly position: number;
  readonly business_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
  readonly begins: boolean;
}

type StoredRow = MessageNews & { readonly conversation_id: number; readonly platform_message_id: string };

/** Puts messages from customers into their chats; those that were not there yet. */
export async function storeMessages(
  transaction: Queries,
  provider: string,
  messages: readonly IncomingMessage[],
  digestOf: DigestOfNumber,
): Promise<MessageNews[]> {
  const rows = messages.map((message, position) => threadRow(message, position, digestOf));
  const threads = await inChunks<Thread>(transaction, findThreads, rows, provider);
  const found = threads.flatMap((thread) => {
    const message = messages[thread.position];
    return message ? [messageRow(message, thread)] : [];
  });
  const stored = await inChunks<StoredRow>(transaction, store, found);
  const byPlatformId = new Map(messages.map((message) => [message.platformMessageId, message]));
  await inChunks(transaction, link, repliesAmong(stored, byPlatformId));
  const begun = new Set(threads.flatMap(({ begins, conversation_id: id }) => (begins ? [id] : [])));
  return stored.map((row) => ({
    ...row,
    message: byPlatformId.get(row.platform_message_id),
    begins: begun.has(row.conversation_id),
  }));
}

const repliesAmong = (stored: readonly StoredRow[], byPlatformId: ReadonlyMap<string, IncomingMessage>): object[] =>
  stored.flatMap(({ business_id, id, chat_id, platform_message_id }) => {
    const replyTo = byPlatformId.get(platform_message_id)?.replyTo;
    return replyTo === undefined ? [] : [{ business_id, id, chat_id, reply_to: replyTo }];
  });

const threadRow = (message: IncomingMessage, position: number, digestOf: DigestOfNumber) => ({
  position,
  sender: message.sender,
  phone: message.from,
  digest: Buffer.from(digestOf(message.from)).toString("hex"),
  name: message.name ?? message.from,
  message_id: message.platformMessageId,
  ad_id: message.referral?.adId,
});

const messageRow = (message: IncomingMessage, thread: Thread) => ({
  ...thread,
  message_id: message.platformMessageId,
  kind: message.kind,
  body: message.body,
  details: message.details,
  author_name: message.name ?? message.from,
  occurred_at: message.occurredAt,
});
