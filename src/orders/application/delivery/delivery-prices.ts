import type { EventFeed } from "../../../kernel/events.ts";
import type { Money } from "../../../kernel/money.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import { wantsDeliveryPrice } from "../../domain/total.ts";
import type { OrderEvents, OrderRef } from "../order-events.ts";
import type { OrderReads, ShownOrder } from "../reads/ports.ts";
import type { DeliveryPricing, QuoteRequest } from "./integrations.ts";

/** An order that needs a price for its delivery. */
export interface WantedPrice extends OrderRef {
  /** How often the order was claimed since its delivery last changed, including this claim. */
  readonly attempts: number;
}

/** The queue of orders that need a price. The transaction that changes an order also adds the order here. */
export interface WantedPrices {
  /**
   * Claims at most `limit` due orders of each cell, the longest due first. An order that stays in the queue is due
   * again after a pause, which grows with each attempt. If its delivery changes, the order is due as soon as `leaseMs`
   * have passed since the claim.
   */
  claim(limit: number, leaseMs: number): Promise<WantedPrice[]>;
  /** Removes the order from the queue, unless its delivery changed after the claim. */
  drop(wanted: WantedPrice): Promise<void>;
  /**
   * Removes orders that have been due for more than `olderThanHours`. If there is no integration, only this method
   * empties the queue.
   */
  forget(olderThanHours: number): Promise<void>;
}

export interface KeptPrices {
  /**
   * Stores the price and gives the order a new version. Returns false, and stores nothing, if the order no longer has
   * the version of `order`, already has a price, or is locked.
   */
  keep(order: OrderRef & { readonly version: number }, price: Money): Promise<boolean>;
}

type PriceUnitOfWork = UnitOfWork<{ readonly prices: KeptPrices; readonly events: OrderEvents }>;

/** The maximum number of requests at the same time for the businesses of one cell. */
const width = 8;
/** The most requests after one claim of an order. If the order changes during a request, another request follows. */
const mostRounds = 3;
/** Because of the queue's pauses, the last attempt is about three hours after the first. */
const mostAttempts = 6;
/** In milliseconds: shorter than the queue's first pause (30 seconds), and much longer than all rounds usually take. */
const leaseMs = 20_000;

/** Requests prices from the delivery-pricing integration, outside of any transaction. */
export class AskDeliveryPrices {
  /** @param onFailure - called if a database query for an order failed; the order stays in the queue */
  constructor(
    private readonly pricing: DeliveryPricing,
    private readonly orders: OrderReads,
    private readonly wanted: WantedPrices,
    private readonly unitOfWork: PriceUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Runs until no order is due, or `signal` is aborted; requests under way are still finished. */
  async execute(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const wanted = await this.wanted.claim(width, leaseMs);
      if (wanted.length === 0) return;
      // Requests begin only in the first half of the lease, so that the last one can end in the other half.
      const end = performance.now() + leaseMs / 2;
      await Promise.all(wanted.map((each) => this.ask(each, end).catch(this.onFailure)));
    }
  }

  private async ask(wanted: WantedPrice, end: number): Promise<void> {
    for (let round = 0; round < mostRounds; round += 1) {
      const order = await this.orders.find(wanted.businessId, wanted.id);
      const quote = order && quoteFor(order);
      if (!quote) return this.wanted.drop(wanted);
      if (performance.now() > end) return;
      const price = await this.pricing.priceOf(quote);
      if (price === "unanswered" && wanted.attempts < mostAttempts) return;
      if (price === "unanswered" || price === "none") return this.wanted.drop(wanted);
      if (await this.keep(order, price)) return;
    }
  }

  private async keep(order: OrderRef & { readonly version: number }, price: Money): Promise<boolean> {
    const logged = await this.unitOfWork.run(order.businessId, async ({ prices, events }) => {
      const isKept = await prices.keep(order, price);
      return isKept ? await events.logChanged(await events.read([order])) : null;
    });
    this.feed.publish(logged ?? []);
    return logged !== null;
  }
}

/** Null if no price is needed, or the destination has no coordinates. */
function quoteFor(order: ShownOrder): QuoteRequest | null {
  const { businessId, id, branchId, origin, latitude, longitude } = order;
  if (!wantsDeliveryPrice(order) || latitude === null || longitude === null) return null;
  const { latitude: branchLatitude = null, longitude: branchLongitude = null } = origin ?? {};
  const branch = branchId === null ? null : { id: branchId, latitude: branchLatitude, longitude: branchLongitude };
  return { businessId, orderId: id, branch, latitude, longitude };
}
