import type { Audience } from "../events.ts";

export interface ListeningUser {
  readonly name: string;
  /** The queues that the user sees; null for users who see all. */
  readonly queues: readonly number[] | null;
}

/** What the sockets need to decide which users may receive an event. */
export interface LiveViews {
  /** Keyed by user id; inactive users are missing. */
  users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, ListeningUser>>;
  /** Keyed by chat id. */
  audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>>;
}
