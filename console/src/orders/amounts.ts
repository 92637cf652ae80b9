import type { Order, OrderLine } from "./orders.ts";

interface CustomExtra {
  readonly price?: unknown;
  readonly picked?: unknown;
}

interface CustomExtras {
  readonly [orderId: string]: Readonly<Record<string, CustomExtra | null>> | null;
}

interface PricedExtra {
  readonly name: string;
  /** The custom price, or the list price. */
  readonly price: number;
}

/** The service's limit, in major units (not cents). */
export const highestCustomPrice = 999_999_999_999.99;

/** Custom prices may be any JSON values. The list price replaces invalid ones. */
export function extrasOf(order: Order, line: OrderLine): PricedExtra[] {
  const custom = (order.extra_data.customExtras as CustomExtras | null | undefined)?.[order.id];
  return line.extras.map(({ extra }) => {
    const { price, picked } = custom?.[`${extra.id}:${line.id}`] ?? {};
    if (typeof price !== "number" || price < 0 || price > highestCustomPrice)
      return { name: extra.name, price: Number(extra.charge) };
    const name =
      typeof picked === "string" && picked && picked !== extra.name ? `${extra.name} (${picked})` : extra.name;
    return { name, price };
  });
}

const cents = (amount: number): number => Math.round(amount * 100);

/** The price of a line with its extras. */
export function amountOf(
  quantity: number,
  price: number | string,
  extras: readonly { readonly price: number }[],
): number {
  return (quantity * extras.reduce((sum, extra) => sum + cents(extra.price), cents(Number(price)))) / 100;
}
