import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";

/** What a client may hear of its business. Equal keys mean equal rights. */
export interface View {
  readonly key: string;
}

/** Describes who may hear of a subject. Only the feature that owns the subject, such as chats, reads the fields. */
export type SubjectAudience = object;

/** The subject of an event that not every client may hear. */
export interface Subject {
  readonly id: number;
  /** The audience after the event. Null if unknown: then only clients that hear everything get the event. */
  readonly audience: SubjectAudience | null;
  /** The audience before the event; null if the event did not change the audience. */
  readonly was: SubjectAudience | null;
}

export interface RealtimeUser {
  readonly name: string;
  readonly view: View;
}

/** The feature's rules about who may hear what. */
export interface Visibility {
  /** The view of administrators and App Keys. */
  readonly everything: View;
  /** By id. Inactive and unknown users are missing. */
  users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, RealtimeUser>>;
  /**
   * The user whose view the event changed; `all` for all users, null for none. This method and the next two do not
   * query the database.
   */
  viewChangedBy(event: LoggedEvent): number | "all" | null;
  /** Null for an event that all clients may hear. */
  subjectOf(event: LoggedEvent): Subject | null;
  mayHear(view: View, audience: SubjectAudience | null): boolean;
  /** The present audiences by subject id. Unknown subjects are missing. */
  audiences(businessId: number, subjectIds: readonly number[]): Promise<ReadonlyMap<number, SubjectAudience>>;
  /** Returns the event that clients get in place of the original if they may no longer hear of the subject. */
  gone(subject: Subject): BusinessEvent;
}
