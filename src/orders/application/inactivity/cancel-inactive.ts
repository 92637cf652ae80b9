import type { EventFeed } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { AbandonedOrder, AbandonedOrders, InactivityUnitOfWork } from "./ports.ts";

/** Orders that are looked for at once, and at most of one transaction: it holds their chats until it ends. */
const batchSize = 500;
/** Milliseconds for which a business's orders are tried one by one: others are not kept waiting for one that hangs. */
const longestTroubleMs = 30_000;

export interface Cancelled {
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
  /** Whether the rest of the business is left for the next run. */
  readonly gaveUp: boolean;
}

/**
 * Cancels, for the bot, the orders whose customers fell silent. Any number of runs at once cancel each order once, and
 * a run that is lost leaves nothing half done. Each transaction is of one business: what makes it wait or fail concerns
 * no other.
 */
export class CancelInactive {
  /** @param onFailure - hears of each transaction that failed, with what it was to cancel */
  constructor(
    private readonly abandoned: AbandonedOrders,
    private readonly unitOfWork: InactivityUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown, batch: InactiveBatch) => void,
    private readonly troubleMs = longestTroubleMs,
  ) {}

  /**
   * Until there are no more, or `signal` is aborted: then what is under way is still finished. Orders that cannot be
   * cancelled are passed by; rejects only where none can be looked for.
   */
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

  /** One by one, so that an order that cannot be cancelled keeps no other one back. */
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
