import { deliveryStates } from "../../kernel/delivery.ts";

/** `received` is the only state of a customer's message; the others belong to outgoing messages. */
export const messageStates = ["received", ...deliveryStates] as const;
export type MessageState = (typeof messageStates)[number];

interface Meaning {
  /** Clients have been told about the message. */
  readonly isAnnounced: boolean;
  /** The platform was asked to send the message, and the result is not known yet. */
  readonly awaitsAnswer: boolean;
  /** The message reached its reader or still might. */
  readonly mayReach: boolean;
}

const meanings: Readonly<Record<MessageState, Meaning>> = {
  received: { isAnnounced: true, awaitsAnswer: false, mayReach: true },
  queued: { isAnnounced: false, awaitsAnswer: false, mayReach: true },
  sending: { isAnnounced: false, awaitsAnswer: true, mayReach: true },
  unknown: { isAnnounced: true, awaitsAnswer: true, mayReach: true },
  sent: { isAnnounced: true, awaitsAnswer: false, mayReach: true },
  failed: { isAnnounced: true, awaitsAnswer: false, mayReach: false },
  delivered: { isAnnounced: true, awaitsAnswer: false, mayReach: true },
  read: { isAnnounced: true, awaitsAnswer: false, mayReach: true },
};

const statesThat = (does: (meaning: Meaning) => boolean): readonly MessageState[] =>
  messageStates.filter((state) => does(meanings[state]));

export const unannouncedStates = statesThat(({ isAnnounced }) => !isAnnounced);
export const unansweredStates = statesThat(({ awaitsAnswer }) => awaitsAnswer);
export const lostStates = statesThat(({ mayReach }) => !mayReach);

export const awaitsAnswer = (state: MessageState): boolean => meanings[state].awaitsAnswer;
export const mayReach = (state: MessageState): boolean => meanings[state].mayReach;

/** True if clients have not been told about a message in this state; null stands for a message that is not stored. */
export const wasUnannounced = (before: MessageState | null): boolean =>
  before === null || !meanings[before].isAnnounced;
