import type { Audience } from "./events.ts";

export interface ListeningUser {
  readonly name: string;
  /** Those that the user sees; null for those who see all. */
  readonly queues: readonly number[] | null;
}

/** What the sockets have to know of users and chats to tell each user what it may hear. */
export interface LiveViews {
  /** By their ids; users that are not active are missing. */
  users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, ListeningUser>>;
  /** By the ids of the chats. */
  audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>>;
}
