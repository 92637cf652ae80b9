import { statement } from "../../../../infra/postgres/statement.ts";
import type { ReplyLink } from "../../../domain/incoming.ts";
import { isInScope } from "../message-ids.ts";
import { type Intake, type NamedMessage, newsOfSenders } from "./news.ts";

/** Links replies with their targets if both are in the same chat. */
const link = statement("incoming_replies")`
  update messages as message set reply_to_id = answered.id
  from ${newsOfSenders(`sender text, "platformMessageId" text, "replyTo" text`)}
  join messages as answered
    on answered.business_id = sender.business_id and answered.platform_message_id = news."replyTo"
       and ${isInScope("answered", "news.sender")}
  where message.business_id = sender.business_id and message.platform_message_id = news."platformMessageId"
    and ${isInScope("message", "news.sender")} and message.chat_id = answered.chat_id
  returning message.business_id, message.id, message.chat_id, message.state, message.platform_message_id as message_id,
            news.sender, true as shows`;

export const linkReplies = (intake: Intake, replies: readonly ReplyLink[]): Promise<NamedMessage[]> =>
  intake.inChunks(link, replies);
