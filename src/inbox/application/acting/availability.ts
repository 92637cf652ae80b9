import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import type { NamedView } from "../events.ts";

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
  /** Logs the change if the user is an agent. Returns no events for other users, or if nothing changed. */
  setAvailable(businessId: number, userId: number, isAvailable: boolean): Promise<LoggedEvent[]>;
}

/** Whether a user gets new chats. A user who goes away keeps their chats; a user who comes back gets waiting chats. */
export class Availability {
  constructor(
    private readonly desk: OwnDesk,
    private readonly feed: EventFeed,
    /** Returns at once; waiting chats and tickets are assigned in the background. */
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
