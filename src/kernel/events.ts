/** A change that the clients of a business hear about. Adapters translate the payload to the wire's field names. */
export interface BusinessEvent {
  readonly name: string;
  readonly payload: object;
}

/**
 * An event from the log. The transaction that made the change wrote the event, too. Numbers start at 1 per business and
 * have no gaps.
 */
export interface LoggedEvent extends BusinessEvent {
  readonly businessId: number;
  readonly number: number;
  readonly at: Date;
}

export interface EventFeed {
  /** True if `publish` cannot reach any client. Callers then need not read the events that they would publish. */
  readonly reachesNobody?: boolean;
  /** Sends committed events to clients. Returns at once and never throws; lost events are found again in the log. */
  publish(events: readonly LoggedEvent[]): void;
}

export interface EventLog {
  /** Returns at most `limit` events with a number above `after`, in order. */
  read(businessId: number, after: number, limit: number): Promise<readonly LoggedEvent[]>;
  /** The last number of each business, 0 if it has no events. Businesses whose database does not answer are missing. */
  lastNumbers(businessIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}
