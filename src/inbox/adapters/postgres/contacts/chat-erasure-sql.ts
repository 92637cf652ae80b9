import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { chatJoins } from "../chat-sql.ts";

export const eraseConversations = statement("erasure_conversations")`
  with locked as (
    select id from conversations
    where business_id = $1 and chat_id = any($2::bigint[]) and close_reason is not null
    order by id
    for no key update
  )
  update conversations as conversation set close_reason = null
  from locked where conversation.business_id = $1 and conversation.id = locked.id`;

/**
 * Marks all messages of the chats as read, because their customer cannot be reached. A message that is being stored at
 * that moment still counts as unread.
 */
export const readChats = statement("erasure_read_chats")`
  select given.id from unnest($2::bigint[]) as given (id)
  cross join lateral (
    select coalesce(max(id), 0) as id from messages where business_id = $1 and chat_id = given.id) as newest
  cross join lateral read_chat($1, given.id, newest.id)`;

/** Each chat stops waiting for an agent. Its new version makes clients draw it again. */
export const eraseChats = statement("erasure_chats")`
  with locked as (
    select id from chats where business_id = $1 and id = any($2::bigint[]) order by id for no key update
  ),
  no_ticket as (
    delete from waiting_tickets where business_id = $1 and chat_id in (select id from locked)
  ),
  no_agent as (
    delete from waiting_chats where business_id = $1 and chat_id in (select id from locked)
  ),
  no_reason as (
    update tickets set close_reason = null
    where business_id = $1 and chat_id in (select id from locked) and close_reason is not null
  )
  update chats as chat set ad_referral = null, version = version + 1
  from locked where chat.business_id = $1 and chat.id = locked.id`;

/** `erased_payload` removes the texts of the chats' last messages, because these messages are erased only later. */
export const announce = statement("erasure_announce")`
  with given as (select null::jsonb as was),
  changes as (
    select contact.business_id, 0 as position, ${nameAndPayload("contact:changed")}
    from contacts as contact where contact.business_id = $1 and contact.id = $2
    union all
    select chat.business_id, 1, ${nameAndPayload("chat:changed")}
    from chats as chat cross join given ${chatJoins}
    where chat.business_id = $1 and chat.id = any($3::bigint[])
  ),
  events as (select business_id, position, name, erased_payload(payload) as payload from changes),
  ${loggedEvents}`;
