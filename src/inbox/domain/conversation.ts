/** Who attends an open conversation. Closing a conversation does not change this state. */
export const conversationStates = ["bot", "pending", "in_progress"] as const;
export type ConversationState = (typeof conversationStates)[number];

/** A chat is closed while it has no open conversation. */
export const chatStates = [...conversationStates, "closed"] as const;
export type ChatState = (typeof chatStates)[number];

/**
 * `ticket`: a ticket is created; `answer`: a message with `takesConversation` was sent; `attend`: an agent takes the
 * chat, is given the chat or answers in it; `queue`: the chat goes back to the waiting line.
 */
export type ConversationMove = "ticket" | "answer" | "attend" | "queue";

interface Rules extends Readonly<Record<ConversationMove, ConversationState | null>> {
  /** True if the conversation does not wait, because an agent has taken it or the business has answered. */
  readonly isAttended: boolean;
}

/** The next state for each state and move; null leaves the state as it is. */
const rules: Readonly<Record<ConversationState, Rules>> = {
  bot: { ticket: "pending", answer: null, attend: "in_progress", queue: "pending", isAttended: false },
  // An answer from the business ends the wait, no matter who wrote it.
  pending: { ticket: null, answer: "in_progress", attend: "in_progress", queue: null, isAttended: false },
  in_progress: { ticket: null, answer: null, attend: null, queue: "pending", isAttended: true },
};

/** The first state of a conversation that a move opens in a closed chat. */
export const beginsBy: Readonly<Record<"attend" | "queue", ConversationState>> = {
  attend: "in_progress",
  queue: "pending",
};

export const attendedStates = conversationStates.filter((state) => rules[state].isAttended);

/** A pair [state, next state] for each state that the move changes. */
export const changesBy = (move: ConversationMove): readonly (readonly [ConversationState, ConversationState])[] =>
  conversationStates.flatMap((state) => {
    const next = rules[state][move];
    return next === null ? [] : [[state, next] as const];
  });

export const firstState = (isBotAvailable: boolean): ConversationState => (isBotAvailable ? "bot" : "pending");
