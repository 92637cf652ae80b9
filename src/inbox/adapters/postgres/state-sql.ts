import { literalsOf, quoted } from "../../../infra/postgres/sql-text.ts";
import { type ConversationMove, changesBy, chatStates, conversationStates } from "../../domain/conversation.ts";
import { messageStates } from "../../domain/delivery.ts";
import { ticketStates } from "../../domain/ticket.ts";

/** States as SQL literals. */
export const messageState = literalsOf(messageStates);
export const conversationState = literalsOf(conversationStates);
export const chatState = literalsOf(chatStates);
export const ticketState = literalsOf(ticketStates);

/** True if the move changes the state of the row `conversation`. */
export const isChangedBy = (move: ConversationMove): string =>
  `conversation.state in (${quoted(...changesBy(move).map(([before]) => before))})`;

/** The state of the row `conversation` after the move. */
export const stateAfter = (move: ConversationMove): string =>
  `case ${changesBy(move)
    .map(([before, next]) => `when conversation.state = ${conversationState[before]} then ${conversationState[next]}`)
    .join(" ")} else conversation.state end`;
