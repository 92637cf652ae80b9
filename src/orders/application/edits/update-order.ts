import type { EventFeed } from "../../../kernel/events.ts";
import { instantOf, namesZone, timezoneOf } from "../../../kernel/instants.ts";
import { BranchNotFound, OrderMovedOn, OrderNotFound, ZoneNotFound } from "../../domain/failures.ts";
import type { Order } from "../../domain/order.ts";
import type { OrderEditStores, OrderEdits, OrderEditUnitOfWork, OrderUpdate } from "./ports.ts";

export interface UpdateOrderCommand extends Omit<OrderUpdate, "scheduledAt"> {
  /** A date that `instantOf` understands, in the business's time zone where it names none. */
  readonly scheduledAt: string | null | undefined;
}

export type UpdateOrderFailure = OrderNotFound | OrderMovedOn | BranchNotFound | ZoneNotFound;

/** §9: writes an order's fields, and tells the business's clients. */
export class UpdateOrder {
  constructor(
    private readonly unitOfWork: OrderEditUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  /** The order as it is then. Rejects with `UpdateOrderFailure`. */
  async execute(command: UpdateOrderCommand): Promise<Order> {
    const { order, events } = await this.unitOfWork.run((stores) => updateOn(stores, command));
    this.feed.publish(events);
    return order;
  }
}

async function updateOn({ edits, events }: OrderEditStores, command: UpdateOrderCommand) {
  const { businessId, orderId: id, branchId, zoneId } = command;
  const found = await edits.update({ ...command, scheduledAt: await instantIn(edits, command) });
  if (!found) throw new OrderNotFound(`order ${id}`);
  if (!found.isCurrent) throw new OrderMovedOn(`order ${id}`);
  if (!found.hasBranch) throw new BranchNotFound(`branch ${branchId}`);
  if (!found.hasZone) throw new ZoneNotFound(`zone ${zoneId}`);
  const [order] = await events.read([{ businessId, id }]);
  if (!order) throw new OrderNotFound(`order ${id}`);
  return { order, events: await events.logChanged([order]) };
}

async function instantIn(edits: OrderEdits, { businessId, scheduledAt }: UpdateOrderCommand) {
  if (scheduledAt === undefined || scheduledAt === null) return scheduledAt;
  const zone = namesZone(scheduledAt) ? "UTC" : timezoneOf(await edits.timezone(businessId));
  return instantOf(scheduledAt, zone);
}
