import type { CustomerOrder } from "../../application/incoming/ports.ts";
import type { MessageNews } from "./news.ts";

/** The catalog orders in messages that were just stored. */
export const ordersIn = (arrived: readonly MessageNews[]): CustomerOrder[] =>
  arrived.flatMap(({ business_id: businessId, chat_id: chatId, id: messageId, message }) =>
    message?.order ? [{ businessId, chatId, messageId, lines: message.order.lines }] : [],
  );
