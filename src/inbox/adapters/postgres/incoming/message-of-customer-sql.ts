import { isInScope } from "../message-ids.ts";

/**
 * True if `given.customer` is the name that the channel `$2` uses for the contact in the row `called`. Channels with
 * numbers use the number or the platform id. Other channels use the contact's id on the channel.
 */
export const isCalled = `
  case when called.known_on is null then given.customer in (called.phone, called.platform_id)
       else called.known_on = $2 and called.platform_id = given.customer end`;

/**
 * Joins each row `given` of news with its row `message` and the row `contact` of the message's chat. Leaves out
 * messages in chats of other customers. `offset 0` forces one look-up per row, as in the CTE `news` of announce-sql.ts.
 *
 * @param direction - an SQL expression for the message's direction, if only messages of one direction count
 * @param isTheirs - a condition on the row `called`, the chat's contact
 */
export const messageOfCustomer = ({ direction = "", isTheirs = isCalled } = {}): string => `
      join messages as message
        on message.business_id = given.business_id and message.platform_message_id = given.message_id
           and ${isInScope("message", "given.sender")} ${direction && `and message.direction = ${direction}`}
      cross join lateral (
        select contact_id from chats
        where business_id = message.business_id and id = message.chat_id and provider = $2 offset 0
      ) as chat
      cross join lateral (
        select called.name from contacts as called
        where business_id = message.business_id and id = chat.contact_id and ${isTheirs} offset 0
      ) as contact`;
