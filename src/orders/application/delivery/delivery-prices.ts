import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import type { Money } from "../../../kernel/money.ts";
import { isOpen } from "../../domain/order.ts";
import { hasPaidDelivery } from "../../domain/total.ts";
import type { ShownOrder } from "../reads/ports.ts";
import type { DeliveryPricing, QuoteRequest } from "./integrations.ts";

export interface KeptPrice {
  /** What the order is at with its price. */
  readonly version: number;
  readonly updatedAt: Date;
  readonly events: readonly LoggedEvent[];
}

export interface PriceStore {
  /**
   * Keeps a price with a new version of the order, of which clients are told. Null, and nothing is kept, where the order
   * has changed since that version, has a price by now, or is being changed: it waits for nobody.
   */
  keep(businessId: number, orderId: number, version: number, price: Money): Promise<KeptPrice | null>;
}

/** Milliseconds for which an order that got no price is not asked for again: who reads it often should not wait often. */
const silenceMs = 60_000;
const mostSilent = 10_000;

/** What the delivery-pricing integration asks for deliveries: asked once for an order as it stands, and kept. */
export class DeliveryPrices {
  /** Under way, by order and version: whoever asks meanwhile waits for the same answer. */
  private readonly underWay = new Map<string, Promise<Partial<ShownOrder>>>();

  /** Those without a price, in the order in which they were asked for, and until when they are left alone. */
  private readonly silent = new Map<string, number>();

  /** @param onTrouble - hears of an integration that failed, and of prices that could not be kept */
  constructor(
    private readonly pricing: DeliveryPricing,
    private readonly prices: PriceStore,
    private readonly feed: EventFeed,
    private readonly onTrouble: (error: unknown, what: string) => void,
  ) {}

  /** What of the order is other than it was for that a price is known now. Never rejects. */
  async addTo(order: ShownOrder): Promise<Partial<ShownOrder>> {
    // What an order that is over has cost, nobody changes any more.
    if (order.speedyPrice !== null || !isOpen(order) || !hasPaidDelivery(order)) return {};
    const key = `${order.businessId} ${order.id} ${order.version}`;
    if ((this.silent.get(key) ?? 0) > performance.now()) return {};
    const asked = this.underWay.get(key) ?? this.askOnce(key, order).finally(() => this.underWay.delete(key));
    this.underWay.set(key, asked);
    return asked;
  }

  private async askOnce(key: string, order: ShownOrder): Promise<Partial<ShownOrder>> {
    this.silent.delete(key);
    const priced = await this.ask(order);
    if (priced.speedyPrice !== undefined) return priced;
    this.silent.set(key, performance.now() + silenceMs);
    for (const oldest of this.silent.keys()) {
      if (this.silent.size <= mostSilent) break;
      this.silent.delete(oldest);
    }
    return priced;
  }

  private async ask(order: ShownOrder): Promise<Partial<ShownOrder>> {
    const speedyPrice = await this.pricing.priceOf(quoteFor(order)).catch((error: unknown) => {
      this.onTrouble(error, "price of a delivery");
      return null;
    });
    if (speedyPrice === null || speedyPrice < 0n) return {};
    const { businessId, id, version } = order;
    const kept = await this.prices.keep(businessId, id, version, speedyPrice).catch((error: unknown) => {
      this.onTrouble(error, "storing the price of a delivery");
      return null;
    });
    if (!kept) return { speedyPrice };
    this.feed.publish(kept.events);
    return { speedyPrice, version: kept.version, updatedAt: kept.updatedAt };
  }
}

function quoteFor({ businessId, id, branchId, origin, latitude, longitude }: ShownOrder): QuoteRequest {
  const { latitude: branchLatitude = null, longitude: branchLongitude = null } = origin ?? {};
  const branch = branchId === null ? null : { id: branchId, latitude: branchLatitude, longitude: branchLongitude };
  return { businessId, orderId: id, branch, latitude, longitude };
}
