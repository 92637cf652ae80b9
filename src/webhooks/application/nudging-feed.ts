import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { typeOf } from "../domain/deliveries.ts";

/** Calls `nudge` when events for webhooks are logged, at most once in `pauseMs` milliseconds. */
export class NudgingFeed implements EventFeed {
  private timer: NodeJS.Timeout | undefined;
  private again = false;

  constructor(
    private readonly feed: EventFeed,
    private readonly nudge: () => void,
    private readonly pauseMs: number,
  ) {}

  get reachesNobody(): boolean {
    return this.feed.reachesNobody ?? false;
  }

  publish(events: readonly LoggedEvent[]): void {
    this.feed.publish(events);
    if (!events.some(({ name }) => Object.hasOwn(typeOf, name))) return;
    if (this.timer) this.again = true;
    else this.nudgeNow();
  }

  private nudgeNow(): void {
    this.again = false;
    this.nudge();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.again) this.nudgeNow();
    }, this.pauseMs);
    this.timer.unref();
  }
}
