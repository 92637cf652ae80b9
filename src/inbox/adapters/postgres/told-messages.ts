import type { Queries } from "../../../infra/postgres/database.ts";
import { loggedEvents } from "../../../infra/postgres/log-events.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { unannouncedStates } from "../../domain/delivery.ts";
import { messageColumnsOf, nameAndPayload } from "./announce-sql.ts";
import { chatJoins } from "./chat-sql.ts";

const tell = statement("messages_tell")`
  with given as (select null::jsonb as was),
  news as (
    select ${messageColumnsOf("message")}, chat.support_user_id, chat.department_id
    from messages as message
    join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
    where message.business_id = $1 and message.id = any($2::bigint[])
      and message.state not in (${quoted(...unannouncedStates)})
  ),
  events as (
    select business_id, id as position, ${nameAndPayload("message:changed")} from news
    union all
    select chat.business_id, 0, ${nameAndPayload("chat:changed")}
    from chats as chat cross join given ${chatJoins} where chat.business_id = $1 and chat.id = any($3::bigint[])
  ),
  ${loggedEvents}`;

/**
 * Logs `message:changed` for messages that clients know.
 *
 * @param chatIds - chats whose rows show one of the messages: they get `chat:changed`
 */
export const tellOfMessages = (
  transaction: Queries,
  businessId: number,
  messageIds: readonly number[],
  chatIds: readonly number[],
): Promise<LoggedEvent[]> => transaction.rows<LoggedEvent>(tell, [businessId, messageIds, chatIds]);
