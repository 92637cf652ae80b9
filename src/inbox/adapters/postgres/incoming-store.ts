import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { IncomingStore } from "../../application/ports.ts";
import { deliveryStates } from "../../domain/delivery.ts";
import type { DeliveryStatus, IncomingMessage, IncomingNews, PreferenceChange } from "../../domain/incoming.ts";
import { announcing, messageColumns } from "./announce-sql.ts";
import { findingThreads } from "./thread-sql.ts";

const states = `array[${deliveryStates.map((state) => `'${state}'`).join(", ")}]`;

/** A status names its message by the platform's id, by our reference, or by both; the furthest one counts. */
const applyStatuses: Statement = {
  name: "incoming_statuses",
  text: `
    with given as (
      select sender.business_id, news.*, array_position(${states}, news.state) as rank
      from jsonb_to_recordset($1::jsonb) as news(
        sender text, message_id text, reference uuid, state text, code integer, reason text, opted_out boolean)
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
      select message.business_id, message.id, message.state as before from messages as message
      where (message.business_id, message.id) in (select business_id, id from furthest)
      order by message.business_id, message.id
      for no key update
    ),
    moved as (
      update messages as message
      set state = furthest.state, lease_until = null,
          platform_message_id = coalesce(message.platform_message_id, furthest.message_id),
          error_code = furthest.code, error_reason = furthest.reason
      from furthest join earlier using (business_id, id)
      where message.business_id = furthest.business_id and message.id = furthest.id
        and message.direction = 'out' and furthest.rank > array_position(${states}, earlier.before)
      returning ${messageColumns}, earlier.before, furthest.opted_out
    ),
    recipient as (
      update contacts as contact set opted_out_at = coalesce(contact.opted_out_at, now())
      from moved join chats as chat on chat.business_id = moved.business_id and chat.id = moved.chat_id
      where moved.opted_out and contact.business_id = moved.business_id and contact.id = chat.contact_id
    ),
    ${announcing()}
    select business_id, number, name, payload, at from logged order by business_id, number`,
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
      from given join contacts as contact on contact.business_id = given.business_id
        and (contact.phone = given.phone or contact.platform_id = given.phone)
      order by contact.business_id, contact.id
      for no key update of contact
    ),
    changed as (
      update contacts as contact
      set opted_out_at = case when known.opted_out then known.at end, preference_changed_at = known.at
      from known
      where contact.business_id = known.business_id and contact.id = known.id
        and (contact.preference_changed_at is null or contact.preference_changed_at < known.at)
    )
    insert into contacts (business_id, name, phone, platform_id, opted_out_at, preference_changed_at)
    select business_id, phone, phone, phone, case when opted_out then at end, at from given
    where not exists (select from known where known.business_id = given.business_id and known.phone = given.phone)
    order by business_id, phone
    on conflict (business_id, phone) do nothing`,
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

/** The chat remembers the ad that was clicked last, by the time of the click. */
const raisedByCustomer = `
  latest as (
    select business_id, chat_id, max(occurred_at) as inbound_at from moved group by 1, 2
  ),
  click as (
    select distinct on (business_id, chat_id) business_id, chat_id, ad_id, referral, occurred_at as clicked_at
    from given where ad_id is not null
    order by business_id, chat_id, occurred_at desc
  ),
  raised as (
    update chats as chat
    set last_message_at = greatest(chat.last_message_at, now()),
        last_inbound_at = greatest(chat.last_inbound_at, latest.inbound_at),
        ad_id = case when click.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                     then click.ad_id else chat.ad_id end,
        ad_referral = case when click.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                           then click.referral else chat.ad_referral end,
        ad_clicked_at = greatest(chat.ad_clicked_at, click.clicked_at)
    from active join latest on latest.business_id = active.business_id and latest.chat_id = active.id
    left join click on click.business_id = active.business_id and click.chat_id = active.id
    where chat.business_id = active.business_id and chat.id = active.id
    returning chat.business_id, chat.id, chat.last_message_at
  )`;

const storeMessages: Statement = {
  name: "incoming_messages",
  text: `
    with given as (
      select * from jsonb_to_recordset($1::jsonb) as news(
        position integer, business_id bigint, chat_id bigint, conversation_id bigint, message_id text, kind text,
        body text, details jsonb, author_name text, occurred_at timestamptz, ad_id text, referral jsonb)
    ),
    moved as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, author,
                                       author_name, state, platform_message_id, occurred_at)
      select business_id, chat_id, conversation_id, 'in', kind, body, details, 'contact', author_name, 'received',
             message_id, occurred_at
      from given order by business_id, position
      on conflict (business_id, platform_message_id) where platform_message_id is not null do nothing
      returning ${messageColumns}, null::text as before
    ),
    ${announcing(raisedByCustomer)}
    select business_id, number, name, payload, at from logged order by business_id, number`,
};

interface Thread {
  readonly position: number;
  readonly business_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
}

/**
 * Set-based: any number of messages of any number of businesses in four statements. Rows are locked in one order
 * everywhere (messages, contacts, chats, counters of events), so that workers do not wait for each other in a circle.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
  ) {}

  async record({ statuses, preferences, messages }: IncomingNews): Promise<LoggedEvent[]> {
    const events: LoggedEventRow[] = [];
    if (statuses.length > 0) events.push(...(await this.rows<LoggedEventRow>(applyStatuses, statuses.map(statusRow))));
    if (preferences.length > 0) await this.rows(applyPreferences, preferences.map(preferenceRow));
    if (messages.length > 0) events.push(...(await this.storeMessages(messages)));
    return events.map(toLoggedEvent);
  }

  private async storeMessages(messages: readonly IncomingMessage[]): Promise<LoggedEventRow[]> {
    const threads = await this.rows<Thread>(findThreads, messages.map(threadRow));
    const rows = threads.flatMap((thread) => {
      const message = messages[thread.position];
      return message ? [messageRow(message, thread)] : [];
    });
    if (rows.length === 0) return [];
    return await this.transaction.rows<LoggedEventRow>(storeMessages, [JSON.stringify(rows)]);
  }

  private rows<Row extends object>(statement: Statement, news: readonly object[]): Promise<Row[]> {
    return this.transaction.rows<Row>(statement, [JSON.stringify(news), this.provider]);
  }
}

const statusRow = (status: DeliveryStatus) => ({
  sender: status.sender,
  message_id: status.platformMessageId,
  reference: status.reference,
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
  ad_id: message.referral?.adId,
  referral: message.referral?.details,
});
