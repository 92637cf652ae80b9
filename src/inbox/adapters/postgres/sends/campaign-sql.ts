import { eventColumns, loggingEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { messageColumns, messageColumnsOf, messageRows, nameAndPayload } from "../announce-sql.ts";
import { chatJoins, contactView } from "../chat-sql.ts";
import { waking } from "../early-waking.ts";
import { messageState } from "../state-sql.ts";
import { findingConversations } from "../thread-sql.ts";

/** Locks the messages that are stored already; usually there are none. */
export const hold = statement("campaign_messages_kept")`
  select reference from messages
  where business_id = $1 and reference = any($2::uuid[])
  order by id
  for no key update`;

/** Ensures an open conversation for each contact; returns the existing chats that had none before. */
export const ensureConversations = statement("campaign_rooms")`
  with chat_keys as (
    select contact.business_id, contact.id as contact_id, $2::text as provider, null::text as ad_id
    from contacts as contact
    where contact.business_id = $1 and contact.id = any($3::bigint[]) and contact.erased_at is null
  ),
  ${findingConversations}
  select chat_id as "chatId" from made_conversations join known_chats using (business_id, chat_id)`;

/**
 * Adds tags to chats and returns the chats that got a new tag. If several campaigns give a chat the same tag, the
 * funnel records only the campaign with the lowest id.
 */
export const tag = statement("campaign_tags")`
  with given as materialized (
    select $1::bigint as business_id, row.*
    from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
      as row(contact_id, provider, campaign_id, step_id, tag_ids)
  ),
  wanted as materialized (
    select distinct on (chat.id, tag.id) chat.id as chat_id, tag.id as tag_id, given.campaign_id, given.step_id
    from given
    cross join lateral (
      select id from chats
      where business_id = given.business_id and contact_id = given.contact_id and provider = given.provider
      limit 1
    ) as chat
    join tags as tag on tag.business_id = given.business_id and tag.id = any(given.tag_ids::bigint[])
    where not exists (
      select 1 from chat_tags as had
      where had.business_id = given.business_id and had.chat_id = chat.id and had.tag_id = tag.id)
      and exists (
        select 1 from contacts as contact
        where contact.business_id = given.business_id and contact.id = given.contact_id and contact.erased_at is null)
    order by chat.id, tag.id, given.campaign_id
  ),
  locked as (
    select id as chat_id from chats
    where business_id = $1 and id in (select chat_id from wanted)
    order by id
    for no key update
  ),
  tagged as (
    insert into chat_tags (business_id, chat_id, tag_id)
    select $1, chat_id, tag_id from wanted join locked using (chat_id)
    order by chat_id, tag_id
    on conflict do nothing
    returning chat_id, tag_id
  ),
  passed as (
    insert into funnel_events (business_id, type, chat_id, step_id, tag_id, campaign_id)
    select $1, 'assigned_tag', chat_id, step_id, tag_id, campaign_id from tagged join wanted using (chat_id, tag_id)
  )
  update chats set version = version + 1
  where business_id = $1 and id in (select chat_id from tagged)
  returning id as "chatId"`;

/**
 * Stores messages in their chats. A message without an open conversation is not stored: its reference is returned.
 *
 * A campaign does not move chats to the top: its many chats would bury the customers who wait. A chat rises when its
 * customer answers.
 *
 * In the funnel, a campaign counts once per chat. A later attempt counts only if the chat has no message of this
 * campaign yet. The CTE `passed` checks this; it does not see the messages that this statement stores.
 *
 * `given` is materialized with `business_id`, so that the planner uses full keys even if its statistics are wrong.
 */
export const store = statement("campaign_messages")`
  with given as materialized (
    select $1::bigint as business_id, row.*
    from unnest($8::bigint[], $9::uuid[], $10::integer[], $11::text[], $12::text[], $13::text[], $14::text[])
      with ordinality
      as row(contact_id, reference, attempt, body, state, platform_message_id, error_reason, position)
  ),
  placed as materialized (
    select given.*, target.*
    from given left join lateral (
      select chat.id as chat_id, conversation.id as conversation_id, ${contactView} as contact,
             chat.support_user_id, chat.department_id
      from contacts as contact
      join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
      cross join lateral (
        select id from conversations as open
        where open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
        limit 1
      ) as conversation
      where contact.business_id = given.business_id and contact.id = given.contact_id and chat.provider = $2
        and contact.erased_at is null
      limit 1
    ) as target on true
  ),
  made as (
    insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                                     author_name, template_id, campaign_id, state, reference, attempt,
                                     platform_message_id, error_reason, attachment)
    select business_id, chat_id, conversation_id, 'out', 'template', body, $6, 'business', $3, $5, $4, state,
           reference, attempt, platform_message_id, error_reason, $16::jsonb
    from placed
    where chat_id is not null
    order by position
    on conflict (business_id, reference) where reference is not null do nothing
    returning ${messageColumns}, message.reference, message.attempt
  ),
  ${waking("made")},
  passed as (
    insert into funnel_events (business_id, type, chat_id, step_id, campaign_id)
    select business_id, 'campaign_sent', chat_id, $7::bigint, $4::bigint from made
    where attempt = 1 or coalesce((
      select false from messages as message
      where message.business_id = made.business_id and message.chat_id = made.chat_id and message.campaign_id = $4
      limit 1), true)
  ),
  news as (
    select ${messageColumnsOf("made")}, placed.contact, placed.support_user_id, placed.department_id
    from made join placed using (reference)
  ),
  events as (
    ${messageRows("message:new")}
  ),
  ${loggingEvents}
  select null as unplaced, ${eventColumns} from logged
  where $15::boolean
  union all
  select reference, null, null, null, null, null from placed where chat_id is null
  order by number`;

/** Settles messages that were stored with the state `unknown`. */
export const amend = statement("campaign_messages_known")`
  with given as materialized (
    select $1::bigint as business_id, row.*
    from unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[])
      as row(reference, attempt, state, platform_message_id, error_reason)
  ),
  known as (
    update messages as message
    set state = given.state, attempt = given.attempt, error_reason = given.error_reason,
        platform_message_id = coalesce(message.platform_message_id, given.platform_message_id)
    from given
    where message.business_id = given.business_id and message.reference = given.reference
      and message.state = ${messageState.unknown} and given.state <> ${messageState.unknown}
    returning ${messageColumns}
  ),
  ${waking("known")},
  news as (
    select known.*, conversation.state as conversation_state, chat.support_user_id, chat.department_id
    from known
    cross join lateral (
      select state from conversations where business_id = known.business_id and id = known.conversation_id offset 0
    ) as conversation
    cross join lateral (
      select support_user_id, department_id from chats
      where business_id = known.business_id and id = known.chat_id offset 0
    ) as chat
  ),
  events as (
    ${messageRows("message:status")}
  ),
  ${loggingEvents}
  select ${eventColumns} from logged where $7::boolean
  order by number`;

/** The platform id is stored only if the message went to the contact's present number. */
export const updateContacts = statement("campaign_learn")`
  with given as (
    select distinct on ("contactId") "contactId" as id, phone, "platformId" as platform_id, "optedOut" as opted_out
    from jsonb_to_recordset($2::jsonb) as row(
      "contactId" bigint, phone text, "platformId" text, "optedOut" boolean)
    order by "contactId", "optedOut" desc
  ),
  locked as (
    select contact.id, given.opted_out, case when given.opted_out then now() end as opted_out_at,
           case when contact.phone = given.phone then given.platform_id end as platform_id
    from given join contacts as contact on contact.business_id = $1 and contact.id = given.id
    where contact.erased_at is null
    order by contact.id
    for no key update of contact
  )
  update contacts as contact
  set platform_id = coalesce(locked.platform_id, contact.platform_id),
      opted_out_at = least(contact.opted_out_at, locked.opted_out_at)
  from locked where contact.business_id = $1 and contact.id = locked.id
    and (locked.platform_id <> contact.platform_id or locked.opted_out and contact.opted_out_at is null)
  returning contact.id`;

/** Logs changed chats and contacts. Leaves out chats that are not in the inbox: they have no `last_message_at`. */
export const tell = statement("campaign_changes_told")`
  with given as (select null::jsonb as was),
  events as (
    select chat.business_id, 1 as position, ${nameAndPayload("chat:changed")}
    from unnest($2::bigint[]) as changed(id)
    cross join lateral (
      select * from chats where business_id = $1 and id = changed.id and last_message_at is not null offset 0
    ) as chat
    cross join given ${chatJoins}
    union all
    select contact.business_id, 0, ${nameAndPayload("contact:changed")}
    from contacts as contact where contact.business_id = $1 and contact.id = any($3::bigint[])
  ),
  ${loggingEvents}
  select ${eventColumns} from logged where $4::boolean
  order by number`;
