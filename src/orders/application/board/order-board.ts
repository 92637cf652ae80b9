import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { instantIn, type Zones } from "../../../kernel/zones.ts";
import {
  ArticleNotFound,
  BranchNotFound,
  ChatNotFound,
  DriverNotFound,
  OrderMovedOn,
  OrderNotFound,
  OrderTooDear,
  TransitionForbidden,
  WrongTransition,
  ZoneNotFound,
} from "../../domain/failures.ts";
import type { Order } from "../../domain/order.ts";
import { type Mover, stepsTo } from "../../domain/states.ts";
import { isCountable, wantsDeliveryPrice } from "../../domain/total.ts";
import type { OrderWithTracker } from "../reads/get-order.ts";
import { orderOf } from "../reads/ports.ts";
import type { BoardEdits, BoardUnitOfWork, DriverAssignment, NewOrder, OrderMove } from "./ports.ts";

interface CreateOrderCommand extends Omit<NewOrder, "scheduledAt"> {
  /** A date in ISO 8601. A date without a time zone is in the business's time zone. */
  readonly scheduledAt: string | null;
}

interface MoveOrderCommand extends Omit<OrderMove, "steps"> {
  readonly mover: Mover;
}

export type CreateOrderFailure = ChatNotFound | BranchNotFound | ZoneNotFound | ArticleNotFound | OrderTooDear;
export type MoveOrderFailure = OrderNotFound | OrderMovedOn | WrongTransition | TransitionForbidden;
export type AssignDriverFailure = OrderNotFound | OrderMovedOn | DriverNotFound;

/** The actions of an order board. Each returns the order after the change, with its driver's last known location. */
export class OrderBoard {
  /** @param onPriceWanted - called after the commit if the order's delivery needs a price */
  constructor(
    private readonly unitOfWork: BoardUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onPriceWanted: () => void,
    private readonly zones: Zones,
  ) {}

  /** Creates a pending order. Rejects with `CreateOrderFailure`. */
  async create(command: CreateOrderCommand): Promise<OrderWithTracker> {
    const { businessId, chatId, branchId, zoneId, scheduledAt: written } = command;
    const scheduledAt = written === null ? null : await beforeAll(instantIn(this.zones, businessId, written));
    const change = async (board: BoardEdits): Promise<number> => {
      const found = await board.create({ ...command, scheduledAt });
      if (!found.hasChat) throw new ChatNotFound(`chat ${chatId}`);
      if (!found.hasBranch) throw new BranchNotFound(`branch ${branchId}`);
      if (!found.hasZone) throw new ZoneNotFound(`zone ${zoneId}`);
      if (!found.hasArticles) throw new ArticleNotFound("an article of a new order");
      return found.id;
    };
    return this.edit(businessId, change, (order) => {
      if (!isCountable(order)) throw new OrderTooDear(`order ${order.id}`);
    });
  }

  /** Moves an order by one of the steps that `stepsTo` knows. Rejects with `MoveOrderFailure`. */
  move({ mover, ...command }: MoveOrderCommand): Promise<OrderWithTracker> {
    const { businessId, orderId, to } = command;
    return this.edit(businessId, async (board) => {
      const found = await board.move({ ...command, steps: stepsTo(to, mover) });
      if (!found) throw new OrderNotFound(`order ${orderId}`);
      if (!found.isCurrent) throw new OrderMovedOn(`order ${orderId}`);
      if (found.isAllowed === null) throw new WrongTransition(`order ${orderId} to ${to}`);
      if (!found.isAllowed) throw new TransitionForbidden(`order ${orderId} to ${to} by ${mover}`);
      return orderId;
    });
  }

  /** Sets or removes the driver of an order. Rejects with `AssignDriverFailure`. */
  assignDriver(assignment: DriverAssignment): Promise<OrderWithTracker> {
    const { businessId, orderId, driverId } = assignment;
    return this.edit(businessId, async (board) => {
      const found = await board.assignDriver(assignment);
      if (!found) throw new OrderNotFound(`order ${orderId}`);
      if (!found.isCurrent) throw new OrderMovedOn(`order ${orderId}`);
      if (!found.hasDriver) throw new DriverNotFound(`driver ${driverId}`);
      return found.isSame ? { unchanged: orderId } : orderId;
    });
  }

  /** Logs an event, unless `change` left the order as it was. If `change` or `check` throws, nothing is stored. */
  private async edit(
    businessId: number,
    change: (board: BoardEdits) => Promise<number | { readonly unchanged: number }>,
    check: (order: Order) => void = () => {},
  ): Promise<OrderWithTracker> {
    const entering = this.unitOfWork.run(businessId, async ({ board, events }) => {
      const changed = await change(board);
      const id = typeof changed === "number" ? changed : changed.unchanged;
      const order = await board.find(businessId, id);
      if (!order) throw new Error(`order ${id} is gone from its own transaction`);
      check(order);
      return { order, logged: typeof changed === "number" ? await events.logChanged([orderOf(order)]) : [] };
    });
    const { order, logged } = await beforeAll(entering);
    this.feed.publish(logged);
    if (wantsDeliveryPrice(order)) this.onPriceWanted();
    return { order, tracker: order.driver?.last ?? null };
  }
}
