import type { EventFeed } from "../../../kernel/events.ts";
import { LineNotFound, OrderMovedOn, OrderNotFound } from "../../domain/failures.ts";
import type { Order } from "../../domain/order.ts";
import type { LineRemoval, OrderEditStores, OrderEditUnitOfWork } from "./ports.ts";

export type RemoveLineFailure = LineNotFound | OrderNotFound | OrderMovedOn;

/** §11: removes a line with its extras from the order that it is of, and tells the business's clients. */
export class RemoveLine {
  constructor(
    private readonly unitOfWork: OrderEditUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  /**
   * The order that was named, as it is then. Rejects with `RemoveLineFailure`; with `OrderNotFound` once the line is
   * removed.
   */
  async execute(removal: LineRemoval): Promise<Order> {
    const { named, events } = await this.unitOfWork.run((stores) => removeOn(stores, removal));
    this.feed.publish(events);
    if (!named) throw new OrderNotFound(`order ${removal.orderId}; its line is removed`);
    return named;
  }
}

async function removeOn({ edits, events }: OrderEditStores, removal: LineRemoval) {
  const { businessId, orderId, lineId } = removal;
  const done = await edits.removeLine(removal);
  if (done.outcome === "no-line") throw new LineNotFound(`line ${lineId}`);
  if (done.outcome === "moved-on") throw new OrderMovedOn(`order ${orderId}`);
  // The clients of neither may be left behind.
  const ids = [...new Set([orderId, done.ownOrderId])];
  const orders = await events.read(ids.map((id) => ({ businessId, id })));
  return { named: orders.find(({ id }) => id === orderId), events: await events.logChanged(orders) };
}
