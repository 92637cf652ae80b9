import { OrderNotFound } from "../../domain/failures.ts";
import type { DriverLocation, DriverTracking } from "../delivery/integrations.ts";
import type { OrderReads, ShownOrder } from "./ports.ts";

export interface OrderWithTracker {
  readonly order: ShownOrder;
  /** Where the order's driver is, as far as anybody knows. */
  readonly tracker: DriverLocation | null;
}

/** §12 One order with what it costs and where it is. */
export class GetOrder {
  /** @param onTrouble - hears of a tracking that failed; the order is shown */
  constructor(
    private readonly reads: OrderReads,
    private readonly tracking: DriverTracking,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /** Rejects with `OrderNotFound`. */
  async execute(businessId: number, orderId: number): Promise<OrderWithTracker> {
    const order = await this.reads.find(businessId, orderId);
    if (!order) throw new OrderNotFound(`order ${orderId} of business ${businessId}`);
    return { order, tracker: await this.trackerOf(order) };
  }

  private async trackerOf({ businessId, driver }: ShownOrder): Promise<DriverLocation | null> {
    if (!driver) return null;
    const { last, id, trackingId } = driver;
    const located = await this.tracking.locate({ businessId, id, trackingId }).catch((error: unknown) => {
      this.onTrouble(error);
      return null;
    });
    return located ?? last;
  }
}
