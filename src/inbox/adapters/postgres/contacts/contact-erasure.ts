import type { Queries } from "../../../../infra/postgres/database.ts";
import { erasedKeyIn, erasedKeyIsFree } from "../../../../infra/postgres/idempotency-store.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { numberedChannels } from "../../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type {
  ContactErasure,
  ContactName,
  DigestOfNumber,
  ErasedContact,
  ErasedMessages,
  Erasure,
} from "../../../application/contacts/ports.ts";
import { erasedNameOf } from "../../../domain/contact.ts";
import { messageState } from "../state-sql.ts";
import { tellOfMessages } from "../told-messages.ts";
import { announce, eraseChats, eraseConversations, readChats } from "./chat-erasure-sql.ts";

const find = statement("erasure_find")`
  select contact.id,
         case when contact.erased_at is null
              then array(select distinct number from unnest(array[phone, platform_id]) as number
                         where number <> '')
              else coalesce(erasure.numbers, '{}') end as numbers,
         erasure.sealed_numbers as sealed,
         coalesce(erasure.files, '{}') as files,
         -- An erased contact has lost this column, but its chats still have the channel.
         coalesce(contact.known_on, (
           select provider from chats
           where business_id = $1 and contact_id = $2 and provider not in (${quoted(...numberedChannels)}) limit 1)) as "knownOn",
         contact.erased_at + interval '1 minute' as "sentUntil",
         case when contact.erased_at is null then 'none' when erasure.contact_id is null then 'over'
              when erasure.completed_at is null then 'begun' else 'complete' end as progress,
         array(select id from chats where business_id = $1 and contact_id = $2 order by id) as "chatIds",
         array(select platform_id from senders where business_id = $1) as senders
  from contacts as contact
  left join contact_erasures as erasure
    on erasure.business_id = contact.business_id and erasure.contact_id = contact.id
  where contact.business_id = $1 and contact.id = $2`;

/** Also erases stored responses without a contact id: older versions did not store the id. */
const eraseAnswers = statement("erasure_answers")`
  update idempotency_keys set body = null, headers = null
  where business_id = $1 and status is not null and (contact_id = $2 or contact_id is null)
    and (body is not null or headers is not null)`;

/** Keys of requests in progress stay: they are replaced when the request ends, or by the next round of the erasure. */
const eraseKeys = statement("erasure_keys")`
  update idempotency_keys as known set key = ${erasedKeyIn("known")}
  where business_id = $1 and status is not null and not starts_with(key, 'erased ') and ${erasedKeyIsFree("known")}
    and (contact_id = $2 or exists (
      select 1 from unnest($3::text[]) as number
      where strpos(key, number) > 0 or strpos(regexp_replace(key, '[^0-9]', '', 'g'), number) > 0))`;

const messagesAtOnce = 5_000;
/** The most messages of a chat that clients get events about. Older messages are erased without events. */
const mostTold = 500;

/**
 * Erases a batch of a chat's messages, newest first, below the id `$3`. A message that is being sent becomes
 * `unknown` and gets a new attempt and reference, so that the outcome of the send no longer finds the message.
 */
const eraseMessages = statement("erasure_messages")`
  with seen as materialized (
    select id from messages
    where business_id = $1 and chat_id = $2 and id < coalesce($3, ${Number.MAX_SAFE_INTEGER})
    order by id desc limit ${messagesAtOnce}
  ),
  locked as (
    select id, gen_random_uuid() as new_reference, concat_ws(' ', body, media_url, details::text, attachment::text) as written
    from messages
    where business_id = $1 and id in (select id from seen)
      and (body <> '' or media_url is not null or details is not null or attachment is not null
           or platform_message_id is not null or error_reason is not null or reactions <> '[]'
           or author = 'contact' and author_name <> '')
    order by id
    for no key update
  ),
  erased as (
    update messages as message
    set body = '', media_url = null, details = null, attachment = null, reactions = '[]', platform_message_id = null,
        error_reason = null, author_name = case when author = 'contact' then '' else author_name end,
        reference = case when reference is not null then locked.new_reference end,
        attempt = attempt + (state = ${messageState.sending})::integer, lease_until = null,
        state = case when state = ${messageState.sending} then ${messageState.unknown} else state end
    from locked where message.business_id = $1 and message.id = locked.id
  ),
  unfetched as (
    delete from incoming_files as file using locked
    where file.business_id = $1 and file.message_id = locked.id
    returning file.media_name
  )
  select (select min(id) from seen having count(*) = ${messagesAtOnce}) as reached,
         array(select id from locked order by id desc limit ${mostTold}) as newest,
         array(select name from locked cross join lateral unnest(media_names(written)) as name
               union
               select media_name from unfetched where media_name is not null) as files`;

/** `for update` also blocks inserts that refer to the contact. Their transactions then check whether it was erased. */
const holdContact = statement("erasure_hold_contact")`
  select phone, known_on as "knownOn", platform_id as "platformId" from contacts where business_id = $1 and id = $2 and erased_at is null
  for update`;

const eraseContact = statement("erasure_contact")`
  with noted as (
    insert into erased_numbers (business_id, digest)
    select $1, decode(digest, 'hex') from unnest($3::text[]) as digest order by digest
    on conflict (business_id, digest) do update set erased_at = excluded.erased_at
  ),
  untagged as (
    delete from contact_tags where business_id = $1 and contact_id = $2
  ),
  unheard as (
    delete from early_news as news using contacts as contact
    where contact.business_id = $1 and contact.id = $2
      and news.business_id = $1 and news.customer in (contact.phone, contact.platform_id)
  )
  update contacts
  set name = '', phone = null, known_on = null, platform_id = '', fields = '{}', opted_out_at = least(opted_out_at, now()),
      erased_at = now(), updated_at = now()
  where business_id = $1 and id = $2`;

/** The erasure becomes due for the background job only after the request itself should have completed it. */
const begin = statement("erasure_begin")`
  insert into contact_erasures (business_id, contact_id, sealed_numbers, files, due_at)
  values ($1, $2, $3, '{}', now() + interval '5 minutes')`;

const addFiles = statement("erasure_add_files")`
  update contact_erasures set files = files || $3::text[] where business_id = $1 and contact_id = $2`;

const eventsAtOnce = 10_000;

const eraseEvents = statement("erasure_events")`
  with seen as materialized (
    select number, payload from realtime_events
    where business_id = $1 and number > $4 order by number limit ${eventsAtOnce}
  ),
  locked as (
    select event.number from realtime_events as event
    where event.business_id = $1 and event.number in (
      select number from seen
      where payload -> 'chatId' = any($2::jsonb[]) or payload #> '{chat,id}' = any($2::jsonb[])
        or payload #> '{contact,id}' = $3::jsonb)
    order by event.number
    for no key update
  ),
  erased as (
    update realtime_events as event set payload = erased_payload(payload)
    from locked where event.business_id = $1 and event.number = locked.number
  )
  select max(number) as reached from seen having count(*) = ${eventsAtOnce}`;

/**
 * This long after an erasure, the imports that ran during it have ended: an upload takes up to ten minutes, and refused
 * rows are stored in batches. All other work ends within a minute.
 */
const importsEnded = "interval '15 minutes'";

const complete = statement("erasure_complete")`
  with moment as (
    select coalesce(completed_at, now()) as completed_at,
           case when completed_at is null then now() + interval '1 minute' else completed_at + ${importsEnded} end as due_at
    from contact_erasures where business_id = $1 and contact_id = $2 for no key update
  )
  update contact_erasures as erasure
  set files = array(select file from unnest(files) as file where file <> all($3::text[])),
      completed_at = moment.completed_at, due_at = moment.due_at
  from moment where erasure.business_id = $1 and erasure.contact_id = $2`;

const end = statement("erasure_end")`
  delete from contact_erasures
  where business_id = $1 and contact_id = $2 and files <@ $3::text[] and completed_at <= now() - ${importsEnded}`;

const takeDue = statement("erasure_due")`
  update contact_erasures as erasure set due_at = now() + interval '5 minutes'
  from (
    select business_id, contact_id from contact_erasures
    where due_at <= now() and ${livesHere("business_id")}
    order by business_id, contact_id limit $1
    for no key update skip locked
  ) as due
  where erasure.business_id = due.business_id and erasure.contact_id = due.contact_id
  returning erasure.business_id as "businessId", erasure.contact_id as "contactId"`;

interface FoundErasure extends Erasure {
  /** The encrypted numbers of an erasure that has begun. */
  readonly sealed: Buffer | null;
}

export class PostgresContactErasure implements ContactErasure {
  constructor(
    private readonly transaction: Queries,
    private readonly digestOf: DigestOfNumber,
    private readonly vault: TokenVault,
  ) {}

  async find(businessId: number, contactId: number): Promise<Erasure | null> {
    const [row] = await this.transaction.rows<FoundErasure>(find, [businessId, contactId]);
    if (!row) return null;
    const { sealed, ...erasure } = row;
    if (sealed === null) return erasure;
    const numbers: readonly string[] = JSON.parse(this.vault.open(sealed, businessId));
    return { ...erasure, numbers };
  }

  async eraseMessages(businessId: number, chatId: number, before: number | null): Promise<ErasedMessages> {
    const [row] = await this.transaction.rows<ErasedMessages>(eraseMessages, [businessId, chatId, before]);
    return row ?? { reached: null, newest: [], files: [] };
  }

  async eraseContact(businessId: number, contactId: number): Promise<readonly string[] | null> {
    const values = [businessId, contactId];
    const [held] = await this.transaction.rows<ContactName>(holdContact, values);
    if (!held) return null;
    const { phone, knownOn, platformId } = held;
    const numbers = [...new Set([phone ?? "", platformId])].filter((number) => number !== "");
    const names = knownOn === null ? numbers : [erasedNameOf(knownOn, platformId)];
    const digests = names.map((name) => Buffer.from(this.digestOf(name)).toString("hex"));
    await this.transaction.rows(eraseContact, [...values, digests]);
    return numbers;
  }

  async eraseTraces(businessId: number, { id, chatIds }: ErasedContact, numbers: readonly string[]): Promise<void> {
    await this.transaction.rows(eraseAnswers, [businessId, id]);
    await this.transaction.rows(eraseKeys, [businessId, id, numbers]);
    await this.transaction.rows(eraseConversations, [businessId, chatIds]);
    await this.transaction.rows(readChats, [businessId, chatIds]);
    await this.transaction.rows(eraseChats, [businessId, chatIds]);
  }

  async begin(businessId: number, contactId: number, numbers: readonly string[]): Promise<void> {
    const sealed = this.vault.seal(JSON.stringify(numbers), businessId);
    await this.transaction.rows(begin, [businessId, contactId, sealed]);
  }

  announce(businessId: number, { id, chatIds }: ErasedContact): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(announce, [businessId, id, chatIds]);
  }

  announceMessages(businessId: number, chatId: number, ids: readonly number[]): Promise<LoggedEvent[]> {
    return tellOfMessages(this.transaction, businessId, ids, [chatId]);
  }

  async addFiles(businessId: number, contactId: number, files: readonly string[]): Promise<void> {
    await this.transaction.rows(addFiles, [businessId, contactId, files]);
  }

  async eraseEvents(businessId: number, { id, chatIds }: ErasedContact, after: number): Promise<number | null> {
    const values = [businessId, chatIds.map(String), String(id), after];
    const [row] = await this.transaction.rows<{ reached: number }>(eraseEvents, values);
    return row?.reached ?? null;
  }

  async complete(businessId: number, contactId: number, files: readonly string[]): Promise<void> {
    await this.transaction.rows(end, [businessId, contactId, files]);
    await this.transaction.rows(complete, [businessId, contactId, files]);
  }

  takeDue(limit: number): Promise<{ businessId: number; contactId: number }[]> {
    return this.transaction.rows<{ businessId: number; contactId: number }>(takeDue, [limit]);
  }
}
