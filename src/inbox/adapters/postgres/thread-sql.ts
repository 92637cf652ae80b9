import { quoted } from "../../../infra/postgres/sql-text.ts";
import { firstState } from "../../domain/conversation.ts";

/** What becomes of a row that another transaction made meanwhile. */
type Conflict = (set: string) => string;
const returned: Conflict = (set) => `do update set ${set}`;
const leftOut: Conflict = () => "do nothing";

/**
 * CTEs that find, or make where missing, the chat and its open conversation for each row of the CTE
 * `owners(business_id, contact_id, provider, ad_id)`, of which no two share business and contact:
 * `rooms(business_id, contact_id, chat_id, bot_available)` and `talks(business_id, chat_id, conversation_id, begins)`.
 *
 * Requests that make the same rows at the same time wait for each other at the unique keys and then get the same
 * ones: `on conflict do update` returns the row that the other one made, which this statement's snapshot does not
 * show. It sets what changes nothing, and no key: that would keep others from referring to the row. Rows are made in
 * the order of their keys, so that two statements never wait for each other.
 *
 * `begins` is true of a conversation that this statement opened. One that another transaction opened meanwhile was
 * updated here, which sets its `xmax`.
 *
 * `offset 0` keeps each look-up apart: see the CTE `news` of announce-sql.ts.
 */
const findingRoomsWhere = (conflict: Conflict) => `
  known_chats as (
    select owners.business_id, owners.contact_id, chat.id as chat_id, chat.bot_available
    from owners cross join lateral (
      select id, bot_available from chats
      where business_id = owners.business_id and contact_id = owners.contact_id and provider = owners.provider offset 0
    ) as chat
  ),
  made_chats as (
    -- The bot attends it, and its conversation is made below: the trigger that keeps the state finds it right.
    insert into chats as chat (business_id, contact_id, provider, state)
    select business_id, contact_id, provider, ${quoted(firstState(true))} from owners
    where not exists (
      select from known_chats as known
      where known.business_id = owners.business_id and known.contact_id = owners.contact_id)
    order by business_id, contact_id
    on conflict (business_id, contact_id, provider) ${conflict("bot_available = chat.bot_available")}
    returning chat.business_id, chat.contact_id, chat.id as chat_id, chat.bot_available
  ),
  rooms as (
    select business_id, contact_id, chat_id, bot_available from known_chats
    union all
    select business_id, contact_id, chat_id, bot_available from made_chats
  ),
  known_conversations as (
    select rooms.business_id, rooms.chat_id, conversation.id as conversation_id
    from rooms cross join lateral (
      select id from conversations
      where business_id = rooms.business_id and chat_id = rooms.chat_id and closed_at is null offset 0
    ) as conversation
  ),
  made_conversations as (
    insert into conversations as conversation (business_id, chat_id, state, ad_id)
    select rooms.business_id, rooms.chat_id,
           case when rooms.bot_available then ${quoted(firstState(true))} else ${quoted(firstState(false))} end,
           owners.ad_id
    from rooms join owners using (business_id, contact_id)
    where not exists (
      select from known_conversations as known
      where known.business_id = rooms.business_id and known.chat_id = rooms.chat_id)
    order by rooms.business_id, rooms.chat_id
    on conflict (business_id, chat_id) where closed_at is null ${conflict("ad_id = conversation.ad_id")}
    returning conversation.business_id, conversation.chat_id, conversation.id as conversation_id, xmax = 0 as begins
  ),
  talks as (
    select business_id, chat_id, conversation_id, false as begins from known_conversations
    union all
    select business_id, chat_id, conversation_id, begins from made_conversations
  )`;

/** Of a row with a business and the digest of a customer's name: now where they were erased; they stay opted out. */
export const erasedSince = (row: string): string => `
  (select now() from erased_numbers as erased
   where erased.business_id = ${row}.business_id and erased.digest = ${row}.digest)`;

/** How customers are found, or made where none is found. */
interface Naming {
  /** Of a row of `wanted`: the contact's `id` and `platform_id`. */
  readonly found: string;
  readonly columns: string;
  readonly values: string;
  /** The unique key, by which a contact that was made meanwhile is met. */
  readonly key: string;
  /** The column of the contact that holds the customer's name. */
  readonly name: string;
}

/** By number, which is the same on all channels that have numbers; or by the id that a platform has for a number. */
const byNumber: Naming = {
  found: `
      select id, platform_id from (
        (select id, platform_id, 1 as preference from contacts
         where business_id = wanted.business_id and phone = wanted.customer)
        union all
        -- Looked up by its id on the platform: with the order inside, PostgreSQL may walk through all contacts by their ids.
        (select id, platform_id, 2 from (
           select id, platform_id from contacts
           where business_id = wanted.business_id and platform_id = wanted.customer and known_on is null offset 0
         ) as called order by id limit 1)
      ) as candidates
      order by preference limit 1`,
  columns: "phone, platform_id",
  values: "customer, customer",
  key: "(business_id, phone)",
  name: "phone",
};

/** By the id that only this channel has for them. */
const byId: Naming = {
  found: `
      select id, platform_id from contacts
      where business_id = wanted.business_id and known_on = wanted.provider and platform_id = wanted.customer offset 0`,
  columns: "known_on, platform_id",
  values: "provider, customer",
  key: "(business_id, known_on, platform_id) where known_on is not null",
  name: "platform_id",
};

/**
 * CTEs that find, or make where missing, the thread for each row of the CTE
 * `wanted(business_id, provider, customer, digest, name, ad_id)`, all of one channel, where no two share business and
 * customer: `threads(business_id, customer, contact_id, chat_id, conversation_id, begins)`.
 */
const findingThreadsWhere = (conflict: Conflict, { found, columns, values, key, name }: Naming) => `
  known_contacts as (
    select wanted.business_id, wanted.customer, found.id as contact_id, found.platform_id
    from wanted cross join lateral (${found}
    ) as found
  ),
  made_contacts as (
    insert into contacts as contact (business_id, name, opted_out_at, ${columns})
    select business_id, name, ${erasedSince("wanted")}, ${values} from wanted
    where not exists (
      select from known_contacts as known
      where known.business_id = wanted.business_id and known.customer = wanted.customer)
    order by business_id, customer
    on conflict ${key} ${conflict("name = contact.name")}
    returning contact.business_id, contact.${name} as customer, contact.id as contact_id
  ),
  people as (
    select business_id, customer, contact_id from known_contacts
    union all
    select business_id, customer, contact_id from made_contacts
  ),
  owners as (
    select people.business_id, people.contact_id, wanted.provider, max(wanted.ad_id) as ad_id
    from people join wanted using (business_id, customer)
    group by 1, 2, 3
  ),
  ${findingRoomsWhere(conflict)},
  -- Two joins, one after the other: in one the planner pairs each with each by their business before it looks at more.
  talks_of_owners as materialized (
    select business_id, rooms.contact_id, chat_id, talks.conversation_id, talks.begins
    from rooms join talks using (business_id, chat_id)
  ),
  threads as (
    select business_id, people.customer, contact_id, talk.chat_id, talk.conversation_id, talk.begins
    from people join talks_of_owners as talk using (business_id, contact_id)
  )`;

/** The contact of a row of `wanted`, with its `id` and `platform_id`; nothing is made. */
export const findingContacts = byNumber.found;
export const findingContactsById = byId.found;

export const findingRooms = findingRoomsWhere(returned);
export const findingThreads = findingThreadsWhere(returned, byNumber);
/** The same on channels without numbers. */
export const findingThreadsById = findingThreadsWhere(returned, byId);

/**
 * The same by number, without the thread where another transaction made a part of it meanwhile: a later statement finds it.
 * Returning it would lock its chat before its conversation.
 */
export const findingThreadsOrNone = findingThreadsWhere(leftOut, byNumber);

/**
 * True of the row of a contact whom the platform of this channel calls so; `customer` and `provider` are SQL expressions.
 * An id of a channel without numbers never means somebody with a number, nor the other way round.
 */
export const isCalled = (contact: string, customer: string, provider: string): string => `
  case when ${contact}.known_on is null then ${customer} in (${contact}.phone, ${contact}.platform_id)
       else ${contact}.known_on = ${provider} and ${contact}.platform_id = ${customer} end`;
