import type { BusinessEvent } from "../../kernel/events.ts";

/** A user as shown to others. */
export interface Colleague {
  readonly id: number;
  readonly name: string;
}

/** The wire format of presence: who has a subject (such as a chat) open, and who is typing in it. */
export interface PresenceWords {
  /** The event that a client emits while its user writes. */
  readonly typing: string;
  /** The event that a client emits when its user opens or leaves a subject. */
  readonly viewing: string;
  /** The id of the subject; null for none; undefined for an invalid payload. */
  subjectIn(payload: unknown): number | null | undefined;
  toldTyping(subjectId: number, user: Colleague): BusinessEvent;
  toldViewing(subjectId: number, users: readonly Colleague[]): BusinessEvent;
}
