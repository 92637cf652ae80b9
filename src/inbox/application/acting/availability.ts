import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import type { NamedView } from "../events.ts";

/** What a user is told of themselves. */
export interface OwnView extends NamedView {
  readonly email: string | null;
  readonly roleId: number;
  readonly available: boolean;
  readonly business: NamedView;
  readonly flags: object;
  readonly departments: readonly NamedView[];
}

export interface OwnDesk {
  find(businessId: number, userId: number): Promise<OwnView>;
  /** Logs the change; no events where it is so already. */
  setAvailable(businessId: number, userId: number, isAvailable: boolean): Promise<LoggedEvent[]>;
}

/** Whether a user takes what is given out. Who goes away keeps what they have; who comes back gets what waits. */
export class Availability {
  constructor(
    private readonly desk: OwnDesk,
    private readonly feed: EventFeed,
    /** Has what waits in a business given out soon; returns at once. */
    private readonly giveOut: (businessId: number) => void,
  ) {}

  own(businessId: number, userId: number): Promise<OwnView> {
    return this.desk.find(businessId, userId);
  }

  async set(businessId: number, userId: number, isAvailable: boolean): Promise<OwnView> {
    const events = await this.desk.setAvailable(businessId, userId, isAvailable);
    this.feed.publish(events);
    if (isAvailable && events.length > 0) this.giveOut(businessId);
    return this.desk.find(businessId, userId);
  }
}
