/** Who attends an open conversation. A closed one keeps the state in which it was closed. */
export const conversationStates = ["bot", "pending", "in_progress"] as const;
export type ConversationState = (typeof conversationStates)[number];

/** What happens to conversations: a ticket is made of one, or its contact is written to in an agent's name. */
export type ConversationMove = "ticket" | "answer";

interface Rules extends Readonly<Record<ConversationMove, ConversationState | null>> {
  /** An agent has it in hand: it waits for none. */
  readonly isAttended: boolean;
}

/** What each move makes of a conversation in each state; null where it stays as it is. */
const rules: Readonly<Record<ConversationState, Rules>> = {
  bot: { ticket: "pending", answer: null, isAttended: false },
  // §3: a contact who gets a message no longer waits.
  pending: { ticket: null, answer: "in_progress", isAttended: false },
  in_progress: { ticket: null, answer: null, isAttended: true },
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
