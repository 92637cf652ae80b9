import type { BusinessEvent } from "../../kernel/events.ts";

/** A user as shown to others. */
export interface Colleague {
  readonly id: number;
  readonly name: string;
}

/** Translates presence of a feature's subjects, such as chats, to the wire. */
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
