import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { instantIn, type Zones } from "../../../kernel/zones.ts";
import {
  ArticleNotFound,
  BranchNotFound,
  LineNotFound,
  OrderMovedOn,
  OrderNotFound,
  OrderTooDear,
  ZoneNotFound,
} from "../../domain/failures.ts";
import type { Order } from "../../domain/order.ts";
import { isCountable, wantsDeliveryPrice } from "../../domain/total.ts";
import type { OrderRef } from "../order-events.ts";
import type { LineAddition, LineRemoval, OrderEditStores, OrderEditUnitOfWork, OrderUpdate } from "./ports.ts";

export interface UpdateOrderCommand extends Omit<OrderUpdate, "scheduledAt"> {
  /** A date in ISO 8601. A date without a time zone is in the business's time zone. */
  readonly scheduledAt: string | null | undefined;
}

export type UpdateOrderFailure = OrderNotFound | OrderMovedOn | BranchNotFound | ZoneNotFound;
export type AddLineFailure = ArticleNotFound | OrderNotFound | OrderMovedOn | OrderTooDear;
export type RemoveLineFailure = LineNotFound | OrderNotFound | OrderMovedOn;

/** Changes orders and publishes their events. */
export class EditOrders {
  /** @param onPriceWanted - called after the commit if an order's delivery needs a price */
  constructor(
    private readonly unitOfWork: OrderEditUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onPriceWanted: () => void,
    private readonly zones: Zones,
  ) {}

  /** §9: writes an order's fields and returns the order. Rejects with `UpdateOrderFailure`. */
  async update(command: UpdateOrderCommand): Promise<Order> {
    const { businessId, orderId: id, branchId, zoneId, scheduledAt: written } = command;
    const scheduledAt = typeof written === "string" ? await instantIn(this.zones, businessId, written) : written;
    return this.edit({ businessId, id }, async ({ edits, events }) => {
      const found = await edits.update({ ...command, scheduledAt });
      if (!found) throw new OrderNotFound(`order ${id}`);
      if (!found.isCurrent) throw new OrderMovedOn(`order ${id}`);
      if (!found.hasBranch) throw new BranchNotFound(`branch ${branchId}`);
      if (!found.hasZone) throw new ZoneNotFound(`zone ${zoneId}`);
      return events.read([{ businessId, id }]);
    });
  }

  /**
   * §10: adds an article with extras, records it in the statistics, and returns the order. Rejects with
   * `AddLineFailure`.
   */
  addLine(addition: LineAddition): Promise<Order> {
    const { businessId, orderId: id, articleId } = addition;
    return this.edit({ businessId, id }, async ({ edits, events }) => {
      const found = await edits.addLine(addition);
      if (!found.hasArticle) throw new ArticleNotFound(`article ${articleId}`);
      if (!found.hasOrder) throw new OrderNotFound(`order ${id}`);
      if (!found.isCurrent) throw new OrderMovedOn(`order ${id}`);
      const orders = await events.read([{ businessId, id }]);
      // The error rolls the addition back.
      if (!orders.every(isCountable)) throw new OrderTooDear(`order ${id}`);
      return orders;
    });
  }

  /**
   * §11: removes a line with its extras, even if the line belongs to another order. Returns the order `orderId`. Rejects
   * with `RemoveLineFailure`. `OrderNotFound` means that the line was removed, but there is no order `orderId`.
   */
  removeLine(removal: LineRemoval): Promise<Order> {
    const { businessId, orderId, lineId } = removal;
    return this.edit({ businessId, id: orderId }, async ({ edits, events }) => {
      const done = await edits.removeLine(removal);
      if (done.outcome === "no-line") throw new LineNotFound(`line ${lineId}`);
      if (done.outcome === "moved-on") throw new OrderMovedOn(`order ${orderId}`);
      // If the line was in another order than `orderId`, clients get events of both orders.
      const ids = [...new Set([orderId, done.ownOrderId])];
      return events.read(ids.map((id) => ({ businessId, id })));
    });
  }

  /** Logs and publishes events of all orders that `change` returns. Returns only the order with the given id. */
  private async edit(
    { businessId, id: orderId }: OrderRef,
    change: (stores: OrderEditStores) => Promise<readonly Order[]>,
  ): Promise<Order> {
    const entering = this.unitOfWork.run(businessId, async (stores) => {
      const orders = await change(stores);
      return { orders, events: await stores.events.logChanged(orders) };
    });
    const { orders, events } = await beforeAll(entering);
    this.feed.publish(events);
    if (orders.some(wantsDeliveryPrice)) this.onPriceWanted();
    const named = orders.find(({ id }) => id === orderId);
    if (!named) throw new OrderNotFound(`order ${orderId}`);
    return named;
  }
}
