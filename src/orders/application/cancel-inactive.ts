import type { EventFeed } from "../../kernel/events.ts";
import type { AbandonedPlace, InactivityUnitOfWork } from "./inactivity-ports.ts";

/** Orders of one transaction: it holds their chats, and their businesses' events, until it ends. */
const batchSize = 500;

export interface Cancelled {
  readonly orders: number;
  readonly businesses: number;
}

/**
 * Cancels, for the bot, the orders whose customers fell silent. Any number of runs at once cancel each order once, and
 * a run that is lost leaves nothing half done.
 */
export class CancelInactive {
  constructor(
    private readonly unitOfWork: InactivityUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  /** Until there are no more, or `signal` is aborted: then what is under way is still finished. */
  async execute(signal?: AbortSignal): Promise<Cancelled> {
    const businesses = new Set<number>();
    let orders = 0;
    let place: AbandonedPlace | null = null;
    while (!signal?.aborted) {
      const batch = await this.cancelBatch(place);
      orders += batch.length;
      for (const { businessId } of batch) businesses.add(businessId);
      place = batch.at(-1) ?? null;
      if (batch.length < batchSize) break;
    }
    return { orders, businesses: businesses.size };
  }

  private async cancelBatch(after: AbandonedPlace | null): Promise<readonly AbandonedPlace[]> {
    const { cancelled, logged } = await this.unitOfWork.run(async ({ abandoned, events }) => {
      const cancelled = await abandoned.cancel(after, batchSize);
      const logged = cancelled.length > 0 ? await events.logChanged(await events.read(cancelled)) : [];
      return { cancelled, logged };
    });
    this.feed.publish(logged);
    return cancelled;
  }
}
