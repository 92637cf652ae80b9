import type { Money } from "../../kernel/money.ts";
import { OrderNotFound } from "../domain/failures.ts";
import { isOpen } from "../domain/order.ts";
import type { DeliveryPricing, DriverLocation, DriverTracking, QuoteRequest } from "./integrations.ts";
import type { OrderReads, ShownOrder } from "./read-ports.ts";

export interface OrderWithTracker {
  readonly order: ShownOrder;
  /** Where the order's driver is, as far as anybody knows. */
  readonly tracker: DriverLocation | null;
}

/** §12 One order with what it costs and where it is. */
export class GetOrder {
  /** @param onTrouble - hears of integrations that failed and of prices that could not be stored; the order is shown */
  constructor(
    private readonly reads: OrderReads,
    private readonly pricing: DeliveryPricing,
    private readonly tracking: DriverTracking,
    private readonly onTrouble: (error: unknown, what: string) => void,
  ) {}

  /** Rejects with `OrderNotFound`. */
  async execute(businessId: number, orderId: number): Promise<OrderWithTracker> {
    const order = await this.reads.find(businessId, orderId);
    if (!order) throw new OrderNotFound(`order ${orderId} of business ${businessId}`);
    const [speedyPrice, tracker] = await Promise.all([this.priceOf(order), this.trackerOf(order)]);
    return { order: speedyPrice === order.speedyPrice ? order : { ...order, speedyPrice }, tracker };
  }

  /** What the integration asks is kept, so that lists and cards show the same total. */
  private async priceOf(order: ShownOrder): Promise<Money | null> {
    const isPriced = order.shipmentMethod !== "delivery" || order.speedyPrice !== null;
    // What an order that is over has cost, nobody changes any more.
    if (isPriced || !isOpen(order)) return order.speedyPrice;
    const price = await this.ask("price of a delivery", () => this.pricing.priceOf(quoteFor(order)));
    if (price === null || price < 0n) return null;
    await this.ask("storing the price of a delivery", async () => {
      await this.reads.rememberPrice(order.businessId, order.id, order.version, price);
      return null;
    });
    return price;
  }

  private async trackerOf({ businessId, driver }: ShownOrder): Promise<DriverLocation | null> {
    if (!driver) return null;
    const { last, id, trackingId } = driver;
    return (await this.ask("location of a driver", () => this.tracking.locate({ businessId, id, trackingId }))) ?? last;
  }

  private async ask<Answer>(what: string, question: () => Promise<Answer | null>): Promise<Answer | null> {
    try {
      return await question();
    } catch (error) {
      this.onTrouble(error, what);
      return null;
    }
  }
}

function quoteFor({ businessId, id, branchId, origin, latitude, longitude }: ShownOrder): QuoteRequest {
  const { latitude: branchLatitude = null, longitude: branchLongitude = null } = origin ?? {};
  const branch = branchId === null ? null : { id: branchId, latitude: branchLatitude, longitude: branchLongitude };
  return { businessId, orderId: id, branch, latitude, longitude };
}
