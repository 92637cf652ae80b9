import type { EventFeed } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { AbandonedOrder, AbandonedOrders, InactivityUnitOfWork } from "./ports.ts";

/** The most orders of one read or one transaction. A transaction locks the chats of its orders until it ends. */
const batchSize = 500;
/** Milliseconds for which a business's orders are tried one by one. Then the other businesses have their turn. */
const longestTroubleMs = 30_000;

interface Cancelled {
  readonly orders: number;
  readonly businesses: number;
  /** Orders that could not be cancelled; the next run tries them again. */
  readonly failed: number;
}

/** Orders of one business. */
export interface InactiveBatch {
  readonly businessId: number;
  readonly ids: readonly number[];
}

interface Outcome {
  readonly cancelled: number;
  readonly failed: number;
  /** Whether the business's remaining orders are left for the next run. */
  readonly gaveUp: boolean;
}

/**
 * Cancels the orders of customers who stopped writing to the bot. Simultaneous runs cancel each order once, and an
 * interrupted run leaves nothing half done. Each transaction has orders of one business, so that it never locks or
 * rolls back orders of several businesses together.
 */
export class CancelInactive {
  /** @param onFailure - called for each failed transaction, with the orders that it was to cancel */
  constructor(
    private readonly abandoned: AbandonedOrders,
    private readonly unitOfWork: InactivityUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown, batch: InactiveBatch) => void,
    private readonly troubleMs = longestTroubleMs,
  ) {}

  /** Runs until there are no more orders, or `signal` is aborted. Rejects only if reading orders fails. */
  async execute(signal?: AbortSignal): Promise<Cancelled> {
    const businesses = new Set<number>();
    const givenUp = new Set<number>();
    let [orders, failed] = [0, 0];
    for await (const batch of this.batches(signal)) {
      if (givenUp.has(batch.businessId)) {
        failed += batch.ids.length;
        continue;
      }
      const outcome = await this.cancelBatch(batch, signal);
      orders += outcome.cancelled;
      failed += outcome.failed;
      if (outcome.cancelled > 0) businesses.add(batch.businessId);
      if (outcome.gaveUp) givenUp.add(batch.businessId);
    }
    return { orders, businesses: businesses.size, failed };
  }

  private async *batches(signal?: AbortSignal): AsyncGenerator<InactiveBatch> {
    let place: AbandonedOrder | null = null;
    while (!signal?.aborted) {
      const found: readonly AbandonedOrder[] = await this.abandoned.next(place, batchSize);
      for (const [businessId, own] of groupBy(found, (order) => order.businessId)) {
        if (signal?.aborted) return;
        yield { businessId, ids: own.map(({ id }) => id) };
      }
      place = found.at(-1) ?? null;
      if (found.length < batchSize) return;
    }
  }

  private async cancelBatch(batch: InactiveBatch, signal?: AbortSignal): Promise<Outcome> {
    try {
      return { cancelled: await this.cancelTogether(batch), failed: 0, gaveUp: false };
    } catch (error) {
      this.onFailure(error, batch);
      return batch.ids.length > 1 ? this.cancelEach(batch, signal) : { cancelled: 0, failed: 1, gaveUp: false };
    }
  }

  /** Cancels the orders one by one, so that an order that fails does not block the other orders. */
  private async cancelEach({ businessId, ids }: InactiveBatch, signal?: AbortSignal): Promise<Outcome> {
    const end = performance.now() + this.troubleMs;
    let [cancelled, failed] = [0, 0];
    for (const [index, id] of ids.entries()) {
      if (signal?.aborted) break;
      if (performance.now() > end) return { cancelled, failed: failed + ids.length - index, gaveUp: true };
      const one = await this.cancelBatch({ businessId, ids: [id] });
      cancelled += one.cancelled;
      failed += one.failed;
    }
    return { cancelled, failed, gaveUp: false };
  }

  private async cancelTogether({ businessId, ids }: InactiveBatch): Promise<number> {
    const logged = await this.unitOfWork.run(businessId, async ({ abandoned, events }) => {
      const cancelled = await abandoned.cancel(businessId, ids);
      return cancelled.length > 0 ? await events.logChanged(await events.read(cancelled)) : [];
    });
    this.feed.publish(logged);
    return logged.length;
  }
}
