import { OrderNotFound } from "../../domain/failures.ts";
import type { DriverLocation, DriverTracking } from "../delivery/integrations.ts";
import type { OrderReads, ShownOrder } from "./ports.ts";

export interface OrderWithTracker {
  readonly order: ShownOrder;
  /** The last known location of the order's driver. */
  readonly tracker: DriverLocation | null;
}

/** §12 One order with the location of its driver. */
export class GetOrder {
  /** @param onFailure - called if the tracking failed; the order is still returned */
  constructor(
    private readonly reads: OrderReads,
    private readonly tracking: DriverTracking,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Rejects with `OrderNotFound`. */
  async execute(businessId: number, orderId: number): Promise<OrderWithTracker> {
    const order = await this.reads.find(businessId, orderId);
    if (!order) throw new OrderNotFound(`order ${orderId} of business ${businessId}`);
    return { order, tracker: await this.trackerOf(order) };
  }

  private async trackerOf({ driver }: ShownOrder): Promise<DriverLocation | null> {
    if (!driver) return null;
    const located = await this.tracking.locate(driver.trackingId).catch((error: unknown) => {
      this.onFailure(error);
      return null;
    });
    return located ?? driver.last;
  }
}
