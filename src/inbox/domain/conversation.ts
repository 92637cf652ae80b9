/** Who attends an open conversation. A closed one keeps the state in which it was closed. */
export const conversationStates = ["bot", "pending", "in_progress"] as const;
export type ConversationState = (typeof conversationStates)[number];

/** The same of a chat, which is closed while it has no open conversation. */
export const chatStates = [...conversationStates, "closed"] as const;
export type ChatState = (typeof chatStates)[number];

/**
 * What happens to conversations: a ticket is made of one; its contact is written to in an agent's name; an agent takes it,
 * gets it or answers in it; it goes back to those who wait for an agent.
 */
export type ConversationMove = "ticket" | "answer" | "attend" | "queue";

interface Rules extends Readonly<Record<ConversationMove, ConversationState | null>> {
  /** An agent has it in hand: it waits for none. */
  readonly isAttended: boolean;
}

/** What each move makes of a conversation in each state; null where it stays as it is. */
const rules: Readonly<Record<ConversationState, Rules>> = {
  bot: { ticket: "pending", answer: null, attend: "in_progress", queue: "pending", isAttended: false },
  // §3: a contact who gets a message no longer waits.
  pending: { ticket: null, answer: "in_progress", attend: "in_progress", queue: null, isAttended: false },
  in_progress: { ticket: null, answer: null, attend: null, queue: "pending", isAttended: true },
};

/** In what state a conversation begins that a move opens in a closed chat. */
export const beginsBy: Readonly<Record<"attend" | "queue", ConversationState>> = {
  attend: "in_progress",
  queue: "pending",
};

export const attendedStates = conversationStates.filter((state) => rules[state].isAttended);

/** The states that a move changes, each with the one that follows. */
export const changesBy = (move: ConversationMove): readonly (readonly [ConversationState, ConversationState])[] =>
  conversationStates.flatMap((state) => {
    const next = rules[state][move];
    return next === null ? [] : [[state, next] as const];
  });

/** In what state a conversation begins. */
export const firstState = (isBotAvailable: boolean): ConversationState => (isBotAvailable ? "bot" : "pending");
