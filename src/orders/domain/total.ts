import type { Money } from "../../kernel/money.ts";
import { moneyOf, numberOf } from "../../kernel/money.ts";
import { customExtraKey, type ExtraData, highestCustomPrice } from "./extra-data.ts";
import type { Line, Order } from "./order.ts";
import { isOpen } from "./states.ts";

interface Totals {
  readonly discount: Money;
  readonly shipping: Money;
  readonly total: Money;
}

type Priced = Pick<Order, "id" | "shipmentMethod" | "zone" | "speedyPrice" | "lines" | "discount" | "extraData">;

/** §12 The cost of an order: its lines with their extras, and its shipping, less its discounts, never below 0. */
export function totalsOf(order: Priced): Totals {
  const shipping = shippingOf(order);
  const goods = order.lines.reduce((sum, line) => sum + BigInt(line.quantity) * unitPriceOf(order, line), 0n);
  const discount = moneyOf(order.discount);
  const total = goods + shipping - discount;
  return { discount, shipping, total: total > 0n ? total : 0n };
}

/** The sums that clients see, in major units. */
export interface OrderSums {
  readonly total: number;
  readonly discount: number;
  readonly speedyPrice: number | null;
}

export function sumsOf(order: Priced): OrderSums {
  const { total, discount } = totalsOf(order);
  const speedyPrice = speedyPriceOf(order);
  return {
    total: numberOf(total),
    discount: numberOf(discount),
    speedyPrice: speedyPrice === null ? null : Number(speedyPrice),
  };
}

/** Whether the sums are exact as numbers in major units. */
export function isCountable(order: Priced): boolean {
  const { total, discount } = totalsOf(order);
  return total + discount <= BigInt(Number.MAX_SAFE_INTEGER);
}

type Shipped = Pick<Order, "shipmentMethod" | "zone" | "lines">;

/** The integration's price for the delivery, if it is known and applies. */
export const speedyPriceOf = (order: Shipped & Pick<Order, "speedyPrice">): string | null =>
  hasPaidDelivery(order) ? order.speedyPrice : null;

/** Whether to ask the integration for a price. Completed and cancelled orders keep their cost. */
export const wantsDeliveryPrice = (order: Shipped & Pick<Order, "speedyPrice" | "status">): boolean =>
  order.speedyPrice === null && isOpen(order) && hasPaidDelivery(order);

/** Whether the integration's price applies. */
const hasPaidDelivery = (order: Shipped): boolean => order.shipmentMethod === "delivery" && hasShipping(order);

function shippingOf(order: Priced): Money {
  if (order.zone === null || !hasShipping(order)) return 0n;
  return moneyOf(speedyPriceOf(order) ?? order.zone.price);
}

const hasShipping = ({ shipmentMethod, zone, lines }: Shipped): boolean =>
  shipmentMethod !== "pickup" && zone !== null && lines.every(({ type }) => type !== "delivery_coupon");

function unitPriceOf(order: Priced, line: Line): Money {
  return line.extras.reduce(
    (sum, { extra }) => sum + (customPriceOf(order.extraData, order.id, extra.id, line.id) ?? moneyOf(extra.charge)),
    moneyOf(line.article.price),
  );
}

/** Null if the extra's own charge applies, because no valid custom price is stored. */
function customPriceOf({ customExtras }: ExtraData, orderId: number, extraId: number, lineId: number): Money | null {
  const price = customExtras?.[orderId]?.[customExtraKey(extraId, lineId)]?.price;
  return typeof price === "number" && price >= 0 && price <= highestCustomPrice ? moneyOf(price.toFixed(2)) : null;
}
