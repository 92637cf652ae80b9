import { eventColumns } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { announcing, messageColumns } from "../announce-sql.ts";
import { messageState } from "../state-sql.ts";

export const note = statement("ticket_note")`
  with moved as (
    insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, author,
                                     author_name, state, reference, internal)
    select $1::bigint, "chatId", "conversationId", 'out', 'ticket', body, details, 'business', $2, ${messageState.sent},
           gen_random_uuid(), true
    from jsonb_to_recordset($3::jsonb) as note(
      position integer, "chatId" bigint, "conversationId" bigint, body text, details jsonb)
    order by position
    returning ${messageColumns}, null::text as before
  ),
  ${announcing()}
  select ${eventColumns} from logged order by number`;

export const open = statement("ticket_messages")`
  with opened as (
    insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                          state, reference, attempt, lease_until)
    select $1::bigint, "chatId", "conversationId", 'out', kind, text, "mediaUrl", 'business', $2, ${messageState.sending},
           gen_random_uuid(), 1, clock_timestamp() + make_interval(secs => $4)
    from jsonb_to_recordset($3::jsonb) as message(
      position integer, "chatId" bigint, "conversationId" bigint, kind text, text text, "mediaUrl" text)
    order by position
    returning business_id, id, chat_id, attempt, reference
  )
  select opened.business_id as "businessId", opened.id, opened.chat_id as "chatId", opened.attempt, opened.reference,
         chat.provider as channel, contact.platform_id as to
  from opened
  join chats as chat on chat.business_id = opened.business_id and chat.id = opened.chat_id
  join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  order by opened.id`;
