import { statement } from "../../../../infra/postgres/statement.ts";
import type { MessageEdit } from "../../../domain/incoming.ts";
import { isCalled, messageOfCustomer } from "./message-of-customer-sql.ts";
import { type Intake, type NamedMessage, newsOfSenders } from "./news.ts";

/**
 * Stores an edit if its author wrote the message. If the edit names a customer, the message must be in that customer's
 * chat. The latest edit wins, and no edit restores a withdrawn message. A caption is changed in `details` too.
 */
const edit = statement("incoming_edits")`
  with given as (
    select distinct on (sender.business_id, news.sender, news.message_id, news.direction, news.customer)
           sender.business_id, news.*
    from ${newsOfSenders(`
      position integer, sender text, customer text, direction text, message_id text, body text, at timestamptz`)}
    order by sender.business_id, news.sender, news.message_id, news.direction, news.customer, news.at desc,
             news.position desc
  ),
  found as (
    select message.business_id, message.id, message.chat_id, message.state, message.body as former,
           given.sender, given.message_id, given.body, to_jsonb(given.body) as caption, given.at
    from given ${messageOfCustomer({ direction: "given.direction", isTheirs: `(given.customer is null or ${isCalled})` })}
  ),
  edited as (
    update messages as message
    set body = found.body, edited_at = found.at,
        details = case when message.details->message.kind ? 'caption'
                       then jsonb_set(message.details, array[message.kind, 'caption'], found.caption)
                       else message.details end
    from found
    where message.business_id = found.business_id and message.id = found.id
      and message.details @> '{"withdrawn": true}' is not true
      and (message.edited_at is null or message.edited_at <= found.at)
    returning message.business_id, message.id
  )
  select found.business_id, found.id, found.chat_id, found.state, found.sender, found.message_id,
         edited.id is not null and found.body <> found.former as shows
  from found left join edited using (business_id, id)`;

/** Edits of unknown messages, or by someone other than the author, are left out of the result. */
export const storeEdits = (intake: Intake, edits: readonly MessageEdit[]): Promise<NamedMessage[]> => {
  const rows = edits.map(({ sender, customer, author, messageId, body, occurredAt }, position) => ({
    position,
    sender,
    customer,
    direction: author === "customer" ? "in" : "out",
    message_id: messageId,
    body,
    at: occurredAt,
  }));
  return intake.inChunks<NamedMessage>(edit, rows);
};
