import type { EventFeed } from "../../../kernel/events.ts";
import type { Money } from "../../../kernel/money.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import { wantsDeliveryPrice } from "../../domain/total.ts";
import type { OrderEvents, OrderRef } from "../order-events.ts";
import type { OrderReads, ShownOrder } from "../reads/ports.ts";
import type { DeliveryPricing, QuoteRequest } from "./integrations.ts";

/** An order whose delivery is to be priced. */
export interface WantedPrice extends OrderRef {
  /** How often it was taken since its delivery last changed, this time included. */
  readonly attempts: number;
}

/** Which orders want a price stands in the database from the change on that made them want it. */
export interface WantedPrices {
  /**
   * Takes at most `limit` that are due, the oldest first; nobody else gets them for `leaseMs`. Each is due again by
   * itself after a pause that grows with its attempts, should its taker die or get no answer.
   */
  claim(limit: number, leaseMs: number): Promise<WantedPrice[]>;
  /** The order wants no price any more, unless its delivery has changed since it was taken. */
  drop(wanted: WantedPrice): Promise<void>;
  /** Drops those that have been due for longer, for where nobody is asked. */
  forget(olderThanHours: number): Promise<void>;
}

export interface KeptPrices {
  /**
   * Keeps a price with a new version of the order. False, and nothing is kept, where the order has changed since that
   * version, has a price by now, or is being changed: it waits for nobody.
   */
  keep(order: OrderRef & { readonly version: number }, price: Money): Promise<boolean>;
}

export type PriceUnitOfWork = UnitOfWork<{ readonly prices: KeptPrices; readonly events: OrderEvents }>;

/** Questions that are under way at a time. */
const width = 8;
/** Questions to one order that changes while it is asked about. */
const mostRounds = 3;
/** With the store's pauses the last one comes after about three hours. */
const mostAttempts = 6;
/** Milliseconds; well below the store's first pause, and well above what all rounds may take. */
const leaseMs = 20_000;

/** Asks the delivery-pricing integration about the orders that want a price, outside of any transaction. */
export class AskDeliveryPrices {
  /** @param onFailure - hears of orders that could not be read, or whose price could not be kept; they stay wanted */
  constructor(
    private readonly pricing: DeliveryPricing,
    private readonly orders: OrderReads,
    private readonly wanted: WantedPrices,
    private readonly unitOfWork: PriceUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Until none is due any more, or `signal` is aborted: then what is under way is still finished. */
  async execute(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const wanted = await this.wanted.claim(width, leaseMs);
      if (wanted.length === 0) return;
      // Half of the lease at most: the last question has the other half to end.
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

/** Null where there is nothing to ask. */
function quoteFor(order: ShownOrder): QuoteRequest | null {
  const { businessId, id, branchId, origin, latitude, longitude } = order;
  if (!wantsDeliveryPrice(order) || latitude === null || longitude === null) return null;
  const { latitude: branchLatitude = null, longitude: branchLongitude = null } = origin ?? {};
  const branch = branchId === null ? null : { id: branchId, latitude: branchLatitude, longitude: branchLongitude };
  return { businessId, orderId: id, branch, latitude, longitude };
}
