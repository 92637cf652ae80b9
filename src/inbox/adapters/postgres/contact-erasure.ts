import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { ContactErasure, DigestOfNumber, ErasedContact } from "../../application/contacts/ports.ts";
import { untoldStates } from "../../domain/delivery.ts";
import { told, toldColumns } from "./announce-sql.ts";
import { chatJoins } from "./chat-sql.ts";
import { messageState } from "./state-sql.ts";

const find: Statement = {
  name: "erasure_find",
  text: `
    select id, phone, platform_id as "platformId",
           array(select id from chats where business_id = $1 and contact_id = $2 order by id) as "chatIds",
           array(select platform_id from senders where business_id = $1) as senders
    from contacts where business_id = $1 and id = $2`,
};

const files: Statement = {
  name: "erasure_files",
  text: `
    select distinct name
    from messages as message
    cross join lateral unnest(media_names(concat_ws(' ', body, media_url, details::text, attachment::text))) as name
    where message.business_id = $1 and message.chat_id = any($2::bigint[])`,
};

/** As long as answers are kept, and an hour. */
const answersKept = "interval '25 hours'";

/** Answers that hold the name or number, or the text or the id of one of the latest messages. */
const eraseAnswers: Statement = {
  name: "erasure_answers",
  text: `
    with sought as (
      select phone as part from contacts where business_id = $1 and id = $2 and phone is not null
      union select to_json(name)::text from contacts where business_id = $1 and id = $2 and name <> ''
      union
      select part
      from messages as message
      cross join lateral (
        values (to_json(message.body)::text), (message.platform_message_id), (to_json(message.media_url)::text)
      ) as told(part)
      where message.business_id = $1 and message.chat_id = any($3::bigint[])
        and message.created_at > now() - ${answersKept} and length(part) > 2
    )
    update idempotency_keys as kept set body = null, headers = null
    where business_id = $1 and status is not null
      and exists (select from sought where strpos(concat_ws(' ', kept.body, kept.headers::text), sought.part) > 0)`,
};

/** A message on its way is settled as unknown here: what its sender learns of it meets no row any more. */
const eraseMessages: Statement = {
  name: "erasure_messages",
  text: `
    with locked as (
      select id from messages
      where business_id = $1 and chat_id = any($2::bigint[])
        and (body <> '' or media_url is not null or details is not null or attachment is not null
             or platform_message_id is not null or error_reason is not null or reactions <> '[]'
             or author = 'contact' and author_name <> '')
      order by id
      for no key update
    )
    update messages as message
    set body = '', media_url = null, details = null, attachment = null, reactions = '[]', platform_message_id = null,
        error_reason = null, author_name = case when author = 'contact' then '' else author_name end,
        reference = case when reference is not null then gen_random_uuid() end,
        attempt = attempt + (state = ${messageState.sending})::integer, lease_until = null,
        state = case when state = ${messageState.sending} then ${messageState.unknown} else state end
    from locked where message.business_id = $1 and message.id = locked.id`,
};

const eraseContact: Statement = {
  name: "erasure_contact",
  text: `
    with locked as (
      select id from contacts where business_id = $1 and id = $2 for update
    ),
    noted as (
      insert into erased_numbers (business_id, digest)
      select $1, $3::bytea from locked where $3 is not null
      on conflict (business_id, digest) do update set erased_at = now()
    ),
    untagged as (
      delete from contact_tags where business_id = $1 and contact_id in (select id from locked)
    )
    update contacts as contact
    set name = '', phone = null, platform_id = '', fields = '{}', opted_out_at = coalesce(opted_out_at, now()),
        erased_at = coalesce(erased_at, now()), updated_at = now()
    from locked where contact.business_id = $1 and contact.id = locked.id`,
};

/** The version rises: clients draw the chat again. A chat that waits for an agent waits no longer: its customer cannot be told. */
const eraseChats: Statement = {
  name: "erasure_chats",
  text: `
    with locked as (
      select id from chats where business_id = $1 and id = any($2::bigint[]) order by id for no key update
    ),
    no_ticket as (
      delete from waiting_tickets where business_id = $1 and chat_id in (select id from locked)
    ),
    no_agent as (
      delete from waiting_chats where business_id = $1 and chat_id in (select id from locked)
    ),
    no_words as (
      update conversations set close_reason = null
      where business_id = $1 and chat_id in (select id from locked) and close_reason is not null
    ),
    no_reason as (
      update tickets set close_reason = null
      where business_id = $1 and chat_id in (select id from locked) and close_reason is not null
    )
    update chats as chat set ad_referral = null, version = version + 1
    from locked where chat.business_id = $1 and chat.id = locked.id`,
};

/** Rows of numbers that an import refused, however they are written there. */
const eraseRefused: Statement = {
  name: "erasure_refused",
  text: `
    delete from refused_contacts
    where business_id = $1 and file in (
      select file from refused_contacts
      where business_id = $1 and strpos(regexp_replace(content, '[^0-9]', '', 'g'), $2) > 0)`,
};

/** Messages that clients are told of; of older ones they learn when they read them. */
const mostTold = 500;

const announce: Statement = {
  name: "erasure_announce",
  text: `
    with given as (select null::jsonb as was),
    news as (
      select ${toldColumns("message")}, chat.support_user_id, chat.department_id
      from messages as message
      join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
      where message.business_id = $1 and message.chat_id = any($3::bigint[])
        and message.state not in (${quoted(...untoldStates)})
      order by message.id desc limit ${mostTold}
    ),
    events as (
      select contact.business_id, 0 as position, ${told("contact:changed")}
      from contacts as contact where contact.business_id = $1 and contact.id = $2
      union all
      select chat.business_id, 1, ${told("chat:changed")}
      from chats as chat cross join given ${chatJoins}
      where chat.business_id = $1 and chat.id = any($3::bigint[])
      union all
      select business_id, 1 + id, ${told("message:changed")} from news
    ),
    ${loggingEvents}
    select ${eventColumns} from logged order by number`,
};

const eraseEvents: Statement = {
  name: "erasure_events",
  text: `
    update realtime_events set payload = erased_payload(payload)
    where business_id = $1
      and (payload -> 'chatId' = any($2::jsonb[]) or payload #> '{chat,id}' = any($2::jsonb[])
           or payload #> '{contact,id}' = $3::jsonb)`,
};

/** Longer than what was under way during the erasure may take. */
const takeUnfinished: Statement = {
  name: "erasure_unfinished",
  text: `
    update contacts as contact set erased_again_at = now()
    from (
      select business_id, id from contacts
      where erased_at < now() - interval '1 minute' and erased_again_at is null
      order by business_id, id limit $1
      for no key update skip locked
    ) as unfinished
    where contact.business_id = unfinished.business_id and contact.id = unfinished.id
    returning contact.business_id as "businessId", contact.id as "contactId"`,
};

export class PostgresContactErasure implements ContactErasure {
  constructor(
    private readonly transaction: Queries,
    private readonly digestOf: DigestOfNumber,
  ) {}

  async find(businessId: number, contactId: number): Promise<ErasedContact | null> {
    const [row] = await this.transaction.rows<ErasedContact>(find, [businessId, contactId]);
    return row ?? null;
  }

  async filesOf(businessId: number, chatIds: readonly number[]): Promise<string[]> {
    const rows = await this.transaction.rows<{ name: string }>(files, [businessId, chatIds]);
    return rows.map(({ name }) => name);
  }

  async eraseAnswers(businessId: number, { id, chatIds }: ErasedContact): Promise<void> {
    await this.transaction.rows(eraseAnswers, [businessId, id, chatIds]);
  }

  async eraseMessages(businessId: number, chatIds: readonly number[]): Promise<void> {
    await this.transaction.rows(eraseMessages, [businessId, chatIds]);
  }

  async eraseContact(businessId: number, { id, phone }: ErasedContact): Promise<void> {
    const digest = phone === null ? null : this.digestOf(phone);
    await this.transaction.rows(eraseContact, [businessId, id, digest]);
    if (phone !== null) await this.transaction.rows(eraseRefused, [businessId, phone]);
  }

  async eraseChats(businessId: number, { chatIds }: ErasedContact): Promise<void> {
    await this.transaction.rows(eraseChats, [businessId, chatIds]);
  }

  announce(businessId: number, { id, chatIds }: ErasedContact): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(announce, [businessId, id, chatIds]);
  }

  async eraseEvents(businessId: number, { id, chatIds }: ErasedContact): Promise<void> {
    await this.transaction.rows(eraseEvents, [businessId, chatIds.map(String), String(id)]);
  }

  takeUnfinished(limit: number): Promise<{ businessId: number; contactId: number }[]> {
    return this.transaction.rows<{ businessId: number; contactId: number }>(takeUnfinished, [limit]);
  }
}
