import type { EventFeed } from "../../../kernel/events.ts";
import { ArticleNotFound, OrderMovedOn, OrderNotFound, OrderTooDear } from "../../domain/failures.ts";
import type { Order } from "../../domain/order.ts";
import { isCountable } from "../../domain/total.ts";
import type { LineAddition, OrderEditStores, OrderEditUnitOfWork } from "./ports.ts";

export type AddLineFailure = ArticleNotFound | OrderNotFound | OrderMovedOn | OrderTooDear;

/** §10: adds an article with its extras to an order, counts it in the statistics, and tells the business's clients. */
export class AddLine {
  constructor(
    private readonly unitOfWork: OrderEditUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  /** The order as it is then. Rejects with `AddLineFailure`. */
  async execute(addition: LineAddition): Promise<Order> {
    const { order, events } = await this.unitOfWork.run((stores) => addOn(stores, addition));
    this.feed.publish(events);
    return order;
  }
}

async function addOn({ edits, events }: OrderEditStores, addition: LineAddition) {
  const { businessId, orderId: id, articleId } = addition;
  const found = await edits.addLine(addition);
  if (!found.hasArticle) throw new ArticleNotFound(`article ${articleId}`);
  if (!found.hasOrder) throw new OrderNotFound(`order ${id}`);
  if (!found.isCurrent) throw new OrderMovedOn(`order ${id}`);
  const [order] = await events.read([{ businessId, id }]);
  if (!order) throw new OrderNotFound(`order ${id}`);
  // What was done so far is undone with the transaction.
  if (!isCountable(order)) throw new OrderTooDear(`order ${id}`);
  return { order, events: await events.logChanged([order]) };
}
