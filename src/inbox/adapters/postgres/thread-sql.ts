import { quoted } from "../../../infra/postgres/sql-text.ts";
import { firstState } from "../../domain/conversation.ts";

/** The `on conflict` action for a row that a concurrent transaction created. */
type Conflict = (set: string) => string;
const returned: Conflict = (set) => `do update set ${set}`;
const leftOut: Conflict = () => "do nothing";

/**
 * CTEs that find or create the chat and its open conversation for each row of the CTE `chat_keys(business_id,
 * contact_id, provider, ad_id)`, which must be unique by business and contact. They define `all_chats(business_id,
 * contact_id, chat_id, bot_available)` and `open_conversations(business_id, chat_id, conversation_id, begins)`.
 *
 * Concurrent statements that create the same row wait at its unique key. With `returned` they get the same row, because
 * `do update` returns a row that this statement's snapshot does not show. The update keeps all values. It sets no key
 * column, because that would block inserts that refer to the row. Rows are created in key order to avoid deadlocks.
 *
 * `begins` is true if this statement created the conversation: a row that it only updated has `xmax` set.
 *
 * `offset 0` forces one look-up per row: see the CTE `news` of announce-sql.ts.
 */
const findingConversationsWhere = (conflict: Conflict) => `
  known_chats as (
    select chat_keys.business_id, chat_keys.contact_id, chat.id as chat_id, chat.bot_available
    from chat_keys cross join lateral (
      select id, bot_available from chats
      where business_id = chat_keys.business_id and contact_id = chat_keys.contact_id and provider = chat_keys.provider offset 0
    ) as chat
  ),
  made_chats as (
    -- The first state is the bot's, as its conversation below has: the trigger that copies the state has nothing to do.
    insert into chats as chat (business_id, contact_id, provider, state)
    select business_id, contact_id, provider, ${quoted(firstState(true))} from chat_keys
    where not exists (
      select 1 from known_chats as known
      where known.business_id = chat_keys.business_id and known.contact_id = chat_keys.contact_id)
    order by business_id, contact_id
    on conflict (business_id, contact_id, provider) ${conflict("bot_available = chat.bot_available")}
    returning chat.business_id, chat.contact_id, chat.id as chat_id, chat.bot_available
  ),
  all_chats as (
    select business_id, contact_id, chat_id, bot_available from known_chats
    union all
    select business_id, contact_id, chat_id, bot_available from made_chats
  ),
  known_conversations as (
    select all_chats.business_id, all_chats.chat_id, conversation.id as conversation_id
    from all_chats cross join lateral (
      select id from conversations
      where business_id = all_chats.business_id and chat_id = all_chats.chat_id and closed_at is null offset 0
    ) as conversation
  ),
  made_conversations as (
    insert into conversations as conversation (business_id, chat_id, state, ad_id)
    select all_chats.business_id, all_chats.chat_id,
           case when all_chats.bot_available then ${quoted(firstState(true))} else ${quoted(firstState(false))} end,
           chat_keys.ad_id
    from all_chats join chat_keys using (business_id, contact_id)
    where not exists (
      select 1 from known_conversations as known
      where known.business_id = all_chats.business_id and known.chat_id = all_chats.chat_id)
    order by all_chats.business_id, all_chats.chat_id
    on conflict (business_id, chat_id) where closed_at is null ${conflict("ad_id = conversation.ad_id")}
    returning conversation.business_id, conversation.chat_id, conversation.id as conversation_id, xmax = 0 as begins
  ),
  open_conversations as (
    select business_id, chat_id, conversation_id, false as begins from known_conversations
    union all
    select business_id, chat_id, conversation_id, begins from made_conversations
  )`;

/** The present time if the row's customer was erased, else null: erased customers stay opted out. */
export const erasedSince = (row: string): string => `
  (select now() from erased_numbers as erased
   where erased.business_id = ${row}.business_id and erased.digest = ${row}.digest)`;

/** How a customer's contact is found or created. */
export interface Naming {
  /** A query for the contact's `id` and `platform_id`, given a row of `wanted`. */
  readonly found: string;
  /** The columns that name a new contact, and their values from a row with `customer` and `provider`. */
  readonly columns: string;
  readonly values: string;
  /** The unique key at which a concurrent insert of the same contact conflicts. */
  readonly key: string;
  /** The column in which a new contact stores `wanted.customer`. */
  readonly name: string;
}

/** Finds contacts by phone number, or else by platform id. All channels with numbers share one contact per number. */
export const byNumber: Naming = {
  found: `
      select id, platform_id from (
        (select id, platform_id, 1 as preference from contacts
         where business_id = wanted.business_id and phone = wanted.customer)
        union all
        -- offset 0 keeps the look-up by platform id: otherwise PostgreSQL may walk all contacts in id order.
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

/** Finds contacts by their id on the customer's channel. */
export const byId: Naming = {
  found: `
      select id, platform_id from contacts
      where business_id = wanted.business_id and known_on = wanted.provider and platform_id = wanted.customer offset 0`,
  columns: "known_on, platform_id",
  values: "provider, customer",
  key: "(business_id, known_on, platform_id) where known_on is not null",
  name: "platform_id",
};

/**
 * CTEs that find or create the thread for each row of the CTE `wanted(business_id, provider, customer, digest,
 * name, ad_id)`. Its rows must be of one channel, and unique by business and customer. The CTEs define
 * `threads(business_id, customer, contact_id, chat_id, conversation_id, begins)`.
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
      select 1 from known_contacts as known
      where known.business_id = wanted.business_id and known.customer = wanted.customer)
    order by business_id, customer
    on conflict ${key} ${conflict("name = contact.name")}
    returning contact.business_id, contact.${name} as customer, contact.id as contact_id
  ),
  all_contacts as (
    select business_id, customer, contact_id from known_contacts
    union all
    select business_id, customer, contact_id from made_contacts
  ),
  chat_keys as (
    select all_contacts.business_id, all_contacts.contact_id, wanted.provider, max(wanted.ad_id) as ad_id
    from all_contacts join wanted using (business_id, customer)
    group by 1, 2, 3
  ),
  ${findingConversationsWhere(conflict)},
  -- Two separate joins: in one, the planner would join everything by business alone before it uses the other columns.
  chat_conversations as materialized (
    select business_id, all_chats.contact_id, chat_id, open_conversations.conversation_id, open_conversations.begins
    from all_chats join open_conversations using (business_id, chat_id)
  ),
  threads as (
    select business_id, all_contacts.customer, contact_id, conversation.chat_id, conversation.conversation_id, conversation.begins
    from all_contacts join chat_conversations as conversation using (business_id, contact_id)
  )`;

export const findingConversations = findingConversationsWhere(returned);
export const findingThreads = findingThreadsWhere(returned, byNumber);
/** For channels without numbers. */
export const findingThreadsById = findingThreadsWhere(returned, byId);

/**
 * Finds threads by number. Leaves out a thread if a concurrent transaction created a part of it: returning that part
 * would lock the chat before its conversation, against the lock order. The caller must retry.
 */
export const findingThreadsOrNone = findingThreadsWhere(leftOut, byNumber);
