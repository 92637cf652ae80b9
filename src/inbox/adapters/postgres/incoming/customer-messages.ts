import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { isNumbered } from "../../../../kernel/channels.ts";
import type { DigestOfNumber } from "../../../application/contacts/ports.ts";
import { erasedNameOf } from "../../../domain/contact.ts";
import type { EchoedMessage, IncomingMessage } from "../../../domain/incoming.ts";
import { hasEarly, waking } from "../early-waking.ts";
import { idScopeOf, isInScope } from "../message-ids.ts";
import { messageState } from "../state-sql.ts";
import { findingThreads, findingThreadsById } from "../thread-sql.ts";
import { awaited } from "./incoming-files.ts";
import { type Intake, inChunks, type MessageNews, newsOfSenders } from "./news.ts";

/**
 * Finds or creates contacts, chats and conversations of messages that are not stored yet. A contact whose number
 * was changed keeps its old platform id until a message comes from the new number. From then on all its chats use the
 * new id, because the old number may belong to somebody else.
 */
const threadsOf = (name: string, finding: string, renumbering = ""): Statement => statement(name)`
  with given as (
    select sender.business_id, news.*
    from ${newsOfSenders(`position integer, sender text, customer text, digest text, name text,
                                               message_id text, ad_id text, occurred_at timestamptz`)}
  ),
  fresh as (
    select * from given where not exists (
      select 1 from messages as message
      where message.business_id = given.business_id and message.platform_message_id = given.message_id
        and ${isInScope("message", "given.sender")})
      -- A repeated webhook would bring erased messages back. Their ids are erased too. Platforms cut times to seconds.
      and not exists (
        select 1 from erased_numbers as erased
        where erased.business_id = given.business_id and erased.digest = decode(given.digest, 'hex')
          and erased.erased_at > given.occurred_at + interval '1 second')
  ),
  wanted as (
    select distinct on (business_id, customer) business_id, $2::text as provider, customer,
           decode(digest, 'hex') as digest, name, ad_id
    from fresh
    order by business_id, customer, position
  ),
  ${finding}
  ${renumbering}
  select fresh.position, fresh.business_id, threads.chat_id, threads.conversation_id, threads.begins
  from fresh join threads using (business_id, customer)`;

const findThreads = threadsOf(
  "incoming_threads",
  findingThreads,
  `, renumbered as (
      update contacts as contact set platform_id = contact.phone
      from known_contacts as known
      where known.platform_id <> known.customer
        and contact.business_id = known.business_id and contact.id = known.contact_id and contact.phone = known.customer
    )`,
);
const findThreadsById = threadsOf("incoming_threads_by_id", findingThreadsById);

/** The contact's name, for a message without an author's name. */
const knownName = `(
  select contact.name
  from chats as chat join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  where chat.business_id = news.business_id and chat.id = news.chat_id)`;

const store = statement("incoming_messages")`
  with stored as (
  insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, attachment,
                                   author, author_name, state, reference, platform_message_id, id_scope,
                                   occurred_at)
  select business_id, chat_id, conversation_id, direction, kind, body, details, attachment,
          case direction when 'in' then 'contact' else 'business' end,
          case direction when 'in' then coalesce(author_name, ${knownName})
                         else (select name from businesses where id = business_id) end,
          case direction when 'in' then ${messageState.received} else ${messageState.sent} end,
          case direction when 'out' then gen_random_uuid() end, message_id, id_scope, occurred_at
  from jsonb_to_recordset($1::jsonb) as news(
    position integer, business_id bigint, chat_id bigint, conversation_id bigint, message_id text, id_scope text, direction text,
    kind text, body text, details jsonb, attachment jsonb, author_name text, occurred_at timestamptz)
  order by business_id, chat_id, position
  on conflict (business_id, platform_message_id, id_scope) where platform_message_id is not null do nothing
  returning message.business_id, message.id, message.chat_id, message.conversation_id, null::text as before,
            message.state, message.platform_message_id, message.id_scope
  ),
  ${waking("stored")}
  select stored.*, ${hasEarly("stored.business_id", "stored.platform_message_id")} as "hasEarly" from stored`;

/** The chat and conversation of one message. */
interface Thread {
  /** The index of the message in the input. */
  readonly position: number;
  readonly business_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
  readonly begins: boolean;
}

type StoredRow = MessageNews & {
  readonly conversation_id: number;
  readonly platform_message_id: string;
  readonly id_scope: string;
};

type PlatformMessage = IncomingMessage | EchoedMessage;

const isEcho = (message: PlatformMessage): message is EchoedMessage => "to" in message;
const customerOf = (message: PlatformMessage): string => (isEcho(message) ? message.to : message.from);
const nameIn = (message: PlatformMessage): string => ("name" in message && message.name) || customerOf(message);

/** Stores messages of customers, and those that the business wrote on another device. Returns only the new ones. */
export async function storeMessages(
  intake: Intake,
  messages: readonly PlatformMessage[],
  digestOf: DigestOfNumber,
): Promise<MessageNews[]> {
  const { transaction, provider } = intake;
  const rows = messages.map((message, position) => threadRow(message, position, provider, digestOf));
  const find = isNumbered(provider) ? findThreads : findThreadsById;
  const threads = await intake.inChunks<Thread>(find, rows);
  const found = threads
    .flatMap((thread) => {
      const message = messages[thread.position];
      return message ? [{ message, row: messageRow(message, thread, provider) }] : [];
    })
    .sort((a, b) => a.row.position - b.row.position);
  const stored = await inChunks<StoredRow>(
    transaction,
    store,
    found.map(({ row }) => row),
  );
  // If a message came twice, its first copy was stored. A map keeps the last entry of a key, so the list is reversed.
  const byPlace = new Map(found.toReversed().map(({ row, message }) => [placeOf(row, row.message_id), message]));
  const begun = new Set(threads.flatMap(({ begins, conversation_id: id }) => (begins ? [id] : [])));
  return stored.map((row) => {
    const message = byPlace.get(placeOf(row, row.platform_message_id));
    if (!message || isEcho(message)) return { ...row, echo: message };
    return { ...row, message, begins: begun.has(row.conversation_id) };
  });
}

/** Phones choose message ids, so messages of two chats may have the same id. The key therefore includes the chat. */
const placeOf = (
  { business_id, chat_id, id_scope }: Pick<StoredRow, "business_id" | "chat_id" | "id_scope">,
  messageId: string,
): string => JSON.stringify([business_id, chat_id, messageId, id_scope]);

const threadRow = (message: PlatformMessage, position: number, provider: string, digestOf: DigestOfNumber) => ({
  position,
  sender: message.sender,
  customer: customerOf(message),
  digest: Buffer.from(digestOf(erasedNameOf(provider, customerOf(message)))).toString("hex"),
  name: nameIn(message),
  message_id: message.platformMessageId,
  ad_id: "referral" in message ? message.referral?.adId : undefined,
  occurred_at: message.occurredAt,
});

const messageRow = (message: PlatformMessage, thread: Thread, provider: string) => ({
  ...thread,
  message_id: message.platformMessageId,
  id_scope: idScopeOf(provider, message.sender),
  direction: isEcho(message) ? "out" : "in",
  kind: message.kind,
  body: message.body,
  details: message.details,
  attachment: awaited(message.file),
  author_name: isEcho(message) ? undefined : message.name,
  occurred_at: message.occurredAt,
});
