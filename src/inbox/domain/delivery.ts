import { deliveryStates } from "../../kernel/delivery.ts";

/** A message from a customer has one state for good. */
export const messageStates = ["received", ...deliveryStates] as const;
export type MessageState = (typeof messageStates)[number];

interface Meaning {
  /** Clients know of the message. */
  readonly isTold: boolean;
  /** A request was made, and nobody knows yet what came of it. */
  readonly awaitsAnswer: boolean;
  /** It reached its reader, or may have. */
  readonly mayReach: boolean;
}

const meanings: Readonly<Record<MessageState, Meaning>> = {
  received: { isTold: true, awaitsAnswer: false, mayReach: true },
  queued: { isTold: false, awaitsAnswer: false, mayReach: true },
  sending: { isTold: false, awaitsAnswer: true, mayReach: true },
  unknown: { isTold: true, awaitsAnswer: true, mayReach: true },
  sent: { isTold: true, awaitsAnswer: false, mayReach: true },
  failed: { isTold: true, awaitsAnswer: false, mayReach: false },
  delivered: { isTold: true, awaitsAnswer: false, mayReach: true },
  read: { isTold: true, awaitsAnswer: false, mayReach: true },
};

const statesThat = (does: (meaning: Meaning) => boolean): readonly MessageState[] =>
  messageStates.filter((state) => does(meanings[state]));

export const untoldStates = statesThat(({ isTold }) => !isTold);
export const unansweredStates = statesThat(({ awaitsAnswer }) => awaitsAnswer);
export const lostStates = statesThat(({ mayReach }) => !mayReach);

export const awaitsAnswer = (state: MessageState): boolean => meanings[state].awaitsAnswer;
export const mayReach = (state: MessageState): boolean => meanings[state].mayReach;

/** Clients have not been told of a message that was in this state; null for one that was in none. */
export const wasUntold = (before: MessageState | null): boolean => before === null || !meanings[before].isTold;
