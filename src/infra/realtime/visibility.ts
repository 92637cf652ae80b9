import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";

/** What a client may hear of its business. Clients whose views have the same key hear the same. */
export interface View {
  readonly key: string;
}

/** Who may hear of a subject. What it holds is known to the feature alone. */
export type SubjectAudience = object;

/** What an event is about, where not every client of the business may hear of it. */
export interface Subject {
  readonly id: number;
  /** Who may hear of it after the event; null where that is not known, and only those hear who hear everything. */
  readonly audience: SubjectAudience | null;
  /** Who could hear of it before the event; null where that is the same. */
  readonly was: SubjectAudience | null;
}

export interface RealtimeUser {
  readonly name: string;
  readonly view: View;
}

/** Who may hear what. A feature knows; the sockets ask. */
export interface Visibility {
  /** Of administrators, and of programs that act as the business. */
  readonly everything: View;
  /** By their ids; those that are not active, or do not exist, are missing. */
  users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, RealtimeUser>>;
  /** Whose view the event changed: a user's id or, of all users, `all`; null for any other event. Asks nobody. */
  viewChangedBy(event: LoggedEvent): number | "all" | null;
  /** Null for an event that is for everybody. Asks nobody. */
  subjectOf(event: LoggedEvent): Subject | null;
  /** Asks nobody. */
  mayHear(view: View, audience: SubjectAudience | null): boolean;
  /** Who may hear of these subjects today; those that do not exist are missing. */
  audiences(businessId: number, subjectIds: readonly number[]): Promise<ReadonlyMap<number, SubjectAudience>>;
  /** What a client is told in place of the event with which it loses sight of the subject. */
  gone(subject: Subject): BusinessEvent;
}
