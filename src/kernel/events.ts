/** A change that the clients of a business are told of. Adapters give the payload the wire's spelling. */
export interface BusinessEvent {
  readonly name: string;
  readonly payload: object;
}

/** An event as it was logged together with its change: numbered within its business from 1, without gaps. */
export interface LoggedEvent extends BusinessEvent {
  readonly businessId: number;
  readonly number: number;
  readonly at: Date;
}

export interface EventFeed {
  /** There is nobody that this process could tell: events need not be read for it. */
  readonly reachesNobody?: boolean;
  /**
   * Tells connected clients of events whose change is committed. Returns at once and never throws: what is
   * lost on the way is found again in the log.
   */
  publish(events: readonly LoggedEvent[]): void;
}

/** Where events are found again that were not heard of when they happened. */
export interface EventLog {
  /** At most `limit` events of the business with a number above `after`, in the order of their numbers. */
  read(businessId: number, after: number, limit: number): Promise<readonly LoggedEvent[]>;
  /**
   * The number each business gave last, also when its events are purged by now; 0 of one without any. One is missing whose
   * database does not answer.
   */
  lastNumbers(businessIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}
