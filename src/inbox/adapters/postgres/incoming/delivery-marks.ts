import type { Queries } from "../../../../infra/postgres/database.ts";
import { rankIn } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { deliveryStates } from "../../../../kernel/delivery.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import type { DeliveryMark } from "../../../domain/incoming.ts";
import { messageState } from "../state-sql.ts";
import type { CustomerChat } from "./customer-chats.ts";
import { inChunks, type MessageNews } from "./news.ts";

/** A mark applies only to this many of the chat's latest messages. */
const mostMarked = 500;

const reach = statement("incoming_marked_messages")`
  select mark.business_id, message.id,
         case when message.occurred_at <= mark.read then ${messageState.read} else ${messageState.delivered} end as state
  from jsonb_to_recordset($1::jsonb) as mark(
    business_id bigint, chat_id bigint, delivered timestamptz, read timestamptz)
  cross join lateral (
    select id, state, occurred_at from (
      select id, state, direction, occurred_at, platform_message_id from messages
      where business_id = mark.business_id and chat_id = mark.chat_id
      order by id desc limit ${mostMarked}
    ) as latest
    where direction = 'out' and platform_message_id is not null and (
      occurred_at <= mark.read and state in (${messageState.sent}, ${messageState.delivered})
      or occurred_at <= mark.delivered and state = ${messageState.sent})
  ) as message`;

/** Reads the states again under the lock: statuses of the same batch may have changed them. */
const move = statement("incoming_marks")`
  with earlier as (
    select message.business_id, message.id, message.state as before, reached.state
    from jsonb_to_recordset($1::jsonb) as reached(business_id bigint, id bigint, state text)
    join messages as message on message.business_id = reached.business_id and message.id = reached.id
    order by message.business_id, message.id
    for no key update of message
  )
  update messages as message set state = earlier.state
  from earlier
  where message.business_id = earlier.business_id and message.id = earlier.id
    and earlier.before in (${messageState.sent}, ${messageState.delivered})
    and ${rankIn(deliveryStates, "earlier.state")} > ${rankIn(deliveryStates, "earlier.before")}
  returning message.business_id, message.id, message.chat_id, earlier.before, message.state`;

/** A message with the state that a mark gives it. */
export interface MarkedMessage {
  readonly business_id: number;
  readonly id: number;
  readonly state: DeliveryMark["state"];
}

interface ChatMark {
  readonly mark: DeliveryMark;
  readonly chat: CustomerChat;
}

/** Finds the messages that the marks advance. For each chat only the latest mark of each state counts. */
export function markedBy(transaction: Queries, marks: readonly ChatMark[]): Promise<MarkedMessage[]> {
  const byChat = groupBy(marks, ({ chat }) => `${chat.business_id} ${chat.chat_id}`);
  const rows = [...byChat.values()].flatMap((ofChat) => {
    const [first] = ofChat;
    if (!first) return [];
    return [{ ...first.chat, delivered: furthest(ofChat, "delivered"), read: furthest(ofChat, "read") }];
  });
  return inChunks<MarkedMessage>(transaction, reach, rows);
}

export const moveMarked = (transaction: Queries, marked: readonly MarkedMessage[]): Promise<MessageNews[]> =>
  inChunks<MessageNews>(transaction, move, marked);

const furthest = (marks: readonly ChatMark[], state: DeliveryMark["state"]): Date | null =>
  marks.reduce<Date | null>((found, { mark }) => {
    const isFurther = mark.state === state && (found === null || mark.upTo > found);
    return isFurther ? mark.upTo : found;
  }, null);
