import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { IncomingStore } from "../../application/ports.ts";
import { deliveryStates } from "../../domain/delivery.ts";
import type { DeliveryStatus, IncomingMessage, IncomingNews, PreferenceChange } from "../../domain/incoming.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { findingThreads } from "./thread-sql.ts";

/**
 * News that go to the database in one statement. PostgreSQL takes a list for a hundred rows and joins by nested
 * loops: thousands at a time would take the square of their number.
 */
const atATime = 200;

const states = `array[${deliveryStates.map((state) => `'${state}'`).join(", ")}]`;

/** A status names its message by the platform's id, by our reference, or by both; the furthest one counts. */
const moveStatuses: Statement = {
  name: "incoming_statuses",
  text: `
    with given as (
      select sender.business_id, news.*, array_position(${states}, news.state) as rank
      from jsonb_to_recordset($1::jsonb) as news(
        sender text, message_id text, reference uuid, recipient_id text, state text, code integer, reason text,
        opted_out boolean)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
    ),
    matched as (
      select message.id, given.* from given join messages as message
        on message.business_id = given.business_id and message.platform_message_id = given.message_id
      union all
      select message.id, given.* from given join messages as message
        on message.business_id = given.business_id and message.reference = given.reference
    ),
    furthest as (
      select distinct on (business_id, id) * from matched order by business_id, id, rank desc
    ),
    earlier as (
      select message.business_id, message.id, message.state as before, furthest.state, furthest.rank,
             furthest.message_id, furthest.recipient_id, furthest.code, furthest.reason, furthest.opted_out
      from furthest join messages as message
        on message.business_id = furthest.business_id and message.id = furthest.id
      order by message.business_id, message.id
      for no key update of message
    )
    update messages as message
    set state = earlier.state, lease_until = null,
        platform_message_id = coalesce(message.platform_message_id, earlier.message_id),
        error_code = earlier.code, error_reason = earlier.reason
    from earlier
    where message.business_id = earlier.business_id and message.id = earlier.id
      and message.direction = 'out' and earlier.rank > array_position(${states}, earlier.before)
    returning message.business_id, message.id, message.chat_id, earlier.before, message.state, earlier.recipient_id,
              earlier.opted_out, message.takes_conversation`,
};

/** What the sender does with the answer, for messages whose answer was lost. */
const takeConversations: Statement = {
  name: "incoming_take_conversations",
  text: `
    update conversations as conversation set state = 'in_progress'
    from (
      select conversation.business_id, conversation.id from conversations as conversation
      where (conversation.business_id, conversation.id) in (
          select message.business_id, message.conversation_id
          from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint)
          join messages as message on message.business_id = news.business_id and message.id = news.id)
        and conversation.state = 'pending' and conversation.closed_at is null
      order by conversation.business_id, conversation.id
      for no key update
    ) as waiting
    where conversation.business_id = waiting.business_id and conversation.id = waiting.id`,
};

/** What the answer to the request would have told, where it was lost; and who opted out. */
const learnRecipients: Statement = {
  name: "incoming_recipients",
  text: `
    with given as (
      select distinct on (contact.business_id, contact.id) contact.business_id, contact.id, news.recipient_id,
             news.opted_out
      from jsonb_to_recordset($1::jsonb) as news(
        business_id bigint, chat_id bigint, recipient_id text, opted_out boolean)
      join chats as chat on chat.business_id = news.business_id and chat.id = news.chat_id
      join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
      order by contact.business_id, contact.id, news.opted_out desc
    ),
    locked as (
      select contact.business_id, contact.id, given.recipient_id, given.opted_out
      from given join contacts as contact on contact.business_id = given.business_id and contact.id = given.id
      order by contact.business_id, contact.id
      for no key update of contact
    )
    update contacts as contact
    set platform_id = coalesce(locked.recipient_id, contact.platform_id),
        opted_out_at = case when locked.opted_out then coalesce(contact.opted_out_at, now())
                            else contact.opted_out_at end
    from locked where contact.business_id = locked.business_id and contact.id = locked.id`,
};

/** The platform's word on marketing; of two words the later one counts, in whatever order they arrive. */
const applyPreferences: Statement = {
  name: "incoming_preferences",
  text: `
    with given as (
      select distinct on (sender.business_id, news.phone) sender.business_id, news.phone, news.opted_out, news.at
      from jsonb_to_recordset($1::jsonb) as news(sender text, phone text, opted_out boolean, at timestamptz)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
      order by sender.business_id, news.phone, news.at desc
    ),
    known as (
      select contact.business_id, contact.id, given.phone, given.opted_out, given.at
      from given join contacts as contact on contact.business_id = given.business_id and contact.phone = given.phone
      union
      select contact.business_id, contact.id, given.phone, given.opted_out, given.at
      from given join contacts as contact
        on contact.business_id = given.business_id and contact.platform_id = given.phone
    ),
    locked as (
      select contact.business_id, contact.id, known.opted_out, known.at
      from known join contacts as contact on contact.business_id = known.business_id and contact.id = known.id
      order by contact.business_id, contact.id
      for no key update of contact
    ),
    changed as (
      update contacts as contact
      set opted_out_at = case when locked.opted_out then locked.at end, preference_changed_at = locked.at
      from locked
      where contact.business_id = locked.business_id and contact.id = locked.id
        and (contact.preference_changed_at is null or contact.preference_changed_at < locked.at)
    )
    insert into contacts as contact (business_id, name, phone, platform_id, opted_out_at, preference_changed_at)
    select business_id, phone, phone, phone, case when opted_out then at end, at from given
    where not exists (select from known where known.business_id = given.business_id and known.phone = given.phone)
    order by business_id, phone
    on conflict (business_id, phone) do update
    set opted_out_at = excluded.opted_out_at, preference_changed_at = excluded.preference_changed_at
    where contact.preference_changed_at is null or contact.preference_changed_at < excluded.preference_changed_at`,
};

const findThreads: Statement = {
  name: "incoming_threads",
  text: `
    with given as (
      select sender.business_id, news.*
      from jsonb_to_recordset($1::jsonb) as news(position integer, sender text, phone text, name text, message_id text,
                                                 ad_id text)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
    ),
    fresh as (
      select * from given where not exists (
        select from messages as message
        where message.business_id = given.business_id and message.platform_message_id = given.message_id)
    ),
    wanted as (
      select distinct on (business_id, phone) business_id, $2::text as provider, phone, name, ad_id from fresh
      order by business_id, phone, position
    ),
    ${findingThreads}
    select fresh.position, fresh.business_id, threads.chat_id, threads.conversation_id
    from fresh join threads using (business_id, phone)`,
};

const storeMessages: Statement = {
  name: "incoming_messages",
  text: `
    insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, author,
                                     author_name, state, platform_message_id, occurred_at)
    select business_id, chat_id, conversation_id, 'in', kind, body, details, 'contact', author_name, 'received',
           message_id, occurred_at
    from jsonb_to_recordset($1::jsonb) as news(
      position integer, business_id bigint, chat_id bigint, conversation_id bigint, message_id text, kind text,
      body text, details jsonb, author_name text, occurred_at timestamptz)
    order by business_id, position
    on conflict (business_id, platform_message_id) where platform_message_id is not null do nothing
    returning message.business_id, message.id, message.chat_id, null::text as before, message.state,
              message.platform_message_id`,
};

/**
 * Puts chats on top, and notes when their customers wrote last and which ad they clicked last, by the time of the
 * click. A chat that only a message of ours raises comes without `inbound_at`.
 */
const raiseChats: Statement = {
  name: "incoming_raise",
  text: `
    with given as (
      select * from jsonb_to_recordset($1::jsonb) as news(
        business_id bigint, chat_id bigint, inbound_at timestamptz, ad_id text, referral jsonb, clicked_at timestamptz)
    ),
    locked as (
      select chat.business_id, chat.id, given.inbound_at, given.ad_id, given.referral, given.clicked_at
      from given join chats as chat on chat.business_id = given.business_id and chat.id = given.chat_id
      order by chat.business_id, chat.id
      for no key update of chat
    )
    update chats as chat
    set last_message_at = greatest(chat.last_message_at, now()),
        last_inbound_at = greatest(chat.last_inbound_at, locked.inbound_at),
        ad_id = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                     then locked.ad_id else chat.ad_id end,
        ad_referral = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                           then locked.referral else chat.ad_referral end,
        ad_clicked_at = greatest(chat.ad_clicked_at, locked.clicked_at)
    from locked where chat.business_id = locked.business_id and chat.id = locked.id`,
};

const announce: Statement = {
  name: "incoming_announce",
  text: `
    with moved as (
      select ${messageColumns}, news.before
      from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, before text)
      join messages as message on message.business_id = news.business_id and message.id = news.id
    ),
    ${announcing(raising.done)}
    select business_id, number, name, payload, at from logged order by business_id, number`,
};

/** A message that changed, or came: what is told of it, and what follows for its chat and contact. */
interface Moved {
  readonly business_id: number;
  readonly id: number;
  readonly chat_id: number;
  readonly before: string | null;
  readonly state: string;
  readonly recipient_id?: string | null;
  readonly opted_out?: boolean;
  readonly takes_conversation?: boolean;
  readonly message?: IncomingMessage;
}

interface Thread {
  readonly position: number;
  readonly business_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
}

/**
 * Set-based: news of any number of businesses in a few statements. Everybody who writes messages locks in this
 * order: messages, contacts, conversations, chats, and the counters of events last, each by its ids; so nobody waits
 * in a circle.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
  ) {}

  async record({ statuses, preferences, messages }: IncomingNews): Promise<LoggedEvent[]> {
    const moved = await this.inChunks<Moved>(moveStatuses, statuses.map(statusRow), this.provider);
    await this.learn(moved);
    await this.inChunks(
      takeConversations,
      moved.filter(isSentAtLast).map(({ business_id, id }) => ({ business_id, id })),
    );
    await this.inChunks(applyPreferences, preferences.map(preferenceRow), this.provider);
    const arrived = await this.storeMessages(messages);
    const all = [...moved, ...arrived];
    await this.inChunks(raiseChats, chatsToRaise(all));
    const byId = (a: Moved, b: Moved) => a.business_id - b.business_id || a.id - b.id;
    const news = all.sort(byId).map(({ business_id, id, before }) => ({ business_id, id, before }));
    return (await this.inChunks<LoggedEventRow>(announce, news)).map(toLoggedEvent);
  }

  private async learn(moved: readonly Moved[]): Promise<void> {
    const news = moved.filter((row) => row.opted_out || (wasLost(row) && row.recipient_id));
    await this.inChunks(
      learnRecipients,
      news.map(({ business_id, chat_id, recipient_id, opted_out, takes_conversation }) => ({
        business_id,
        chat_id,
        // One that was sent to a chat may have gone to a number that is not the contact's.
        recipient_id: takes_conversation ? null : recipient_id,
        opted_out,
      })),
    );
  }

  private async storeMessages(messages: readonly IncomingMessage[]): Promise<Moved[]> {
    const threads = await this.inChunks<Thread>(findThreads, messages.map(threadRow), this.provider);
    const rows = threads.flatMap((thread) => {
      const message = messages[thread.position];
      return message ? [messageRow(message, thread)] : [];
    });
    const byPlatformId = new Map(messages.map((message) => [message.platformMessageId, message]));
    const stored = await this.inChunks<Moved & { readonly platform_message_id: string }>(storeMessages, rows);
    return stored.map((row) => {
      const message = byPlatformId.get(row.platform_message_id);
      return message ? { ...row, message } : row;
    });
  }

  private async inChunks<Row extends object>(
    statement: Statement,
    news: readonly object[],
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (let from = 0; from < news.length; from += atATime) {
      const chunk = JSON.stringify(news.slice(from, from + atATime));
      rows.push(...(await this.transaction.rows<Row>(statement, [chunk, ...values])));
    }
    return rows;
  }
}

const wasLost = ({ before }: Moved): boolean => before === "sending" || before === "unknown";
const isSentAtLast = (row: Moved): boolean => wasLost(row) && row.state !== "failed" && row.takes_conversation === true;

/** One row for each chat that is to rise, in the order in which chats are locked. */
function chatsToRaise(moved: readonly Moved[]): object[] {
  const raisers = moved.filter(({ before, state }) => (before === null || before === "sending") && state !== "failed");
  const chats = groupBy(raisers, (row) => `${row.business_id} ${row.chat_id}`);
  const rows = [...chats.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const messages = group.flatMap(({ message }) => message ?? []);
    const click = latest(messages.filter(({ referral }) => referral !== undefined));
    return [
      {
        business_id: first.business_id,
        chat_id: first.chat_id,
        inbound_at: latest(messages)?.occurredAt,
        ad_id: click?.referral?.adId,
        referral: click?.referral?.details,
        clicked_at: click?.occurredAt,
      },
    ];
  });
  return rows.sort((a, b) => a.business_id - b.business_id || a.chat_id - b.chat_id);
}

const latest = (messages: readonly IncomingMessage[]): IncomingMessage | undefined =>
  messages.reduce<IncomingMessage | undefined>(
    (found, message) => (found && found.occurredAt > message.occurredAt ? found : message),
    undefined,
  );

const statusRow = (status: DeliveryStatus) => ({
  sender: status.sender,
  message_id: status.platformMessageId,
  reference: status.reference,
  recipient_id: status.recipientId,
  state: status.state,
  code: status.error?.code,
  reason: status.error?.reason,
  opted_out: status.error?.optedOut ?? false,
});

const preferenceRow = (change: PreferenceChange) => ({
  sender: change.sender,
  phone: change.from,
  opted_out: change.optedOut,
  at: change.occurredAt,
});

const threadRow = (message: IncomingMessage, position: number) => ({
  position,
  sender: message.sender,
  phone: message.from,
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
