import type { OrderSummary } from "../../../inbox/public.ts";
import { stateOf } from "../../domain/states.ts";
import { sumsOf } from "../../domain/total.ts";
import type { OrderLists } from "./ports.ts";

/** The orders that a chat shows. */
export class OrdersOfChat {
  constructor(private readonly lists: Pick<OrderLists, "ofChat">) {}

  /** Newest first. */
  async latest(businessId: number, chatId: number, limit: number): Promise<OrderSummary[]> {
    const orders = await this.lists.ofChat(businessId, chatId, limit);
    return orders.map((order) => ({
      id: order.id,
      state: stateOf(order.status),
      total: sumsOf(order).total,
      createdAt: order.createdAt,
    }));
  }
}
