import { type DemoOrder, type OrdersPlan, ordersOf } from "./orders.ts";
import { Random } from "./random.ts";
import { type DemoStorefront, type StorefrontPlan, storefrontOf } from "./storefront.ts";

/** What a business of the demo sells, and to whom it sold it. Amounts in units of its currency. */
export interface DemoShop extends DemoStorefront {
  readonly orders: readonly DemoOrder[];
}

export interface ShopPlan extends StorefrontPlan, OrdersPlan {
  readonly seed: number;
}

export function shopOf(plan: ShopPlan): DemoShop {
  const random = new Random(plan.seed);
  const storefront = storefrontOf(plan, random);
  return { ...storefront, orders: ordersOf(plan, storefront, random) };
}
