import { useTranslation } from "react-i18next";
import { useMoney } from "../shared/money.ts";
import styles from "./drawer.module.css";
import type { Order } from "./orders.ts";

/** Shows the service's totals; nothing is computed here. */
export function Totals({ order }: { readonly order: Order }) {
  const { t } = useTranslation("orders");
  const money = useMoney();
  const shipping = shippingOf(order);
  return (
    <dl className={styles.totals} aria-live="polite">
      {shipping !== null && (
        <div>
          <dt>{t("shipping")}</dt>
          <dd>{money(shipping)}</dd>
        </div>
      )}
      {order.discount > 0 && (
        <div>
          <dt>{t("discount")}</dt>
          <dd>−{money(order.discount)}</dd>
        </div>
      )}
      <div className={styles.total}>
        <dt>{t("total")}</dt>
        <dd>{money(order.total)}</dd>
      </div>
    </dl>
  );
}

/** The delivery price. Null for pickup orders, orders without a zone and orders with a delivery coupon. */
export function shippingOf({ shipment_method, zona, details, speedy_delivery_price }: Order): number | null {
  if (shipment_method === "pickup" || !zona || details.some(({ type }) => type === "delivery_coupon")) return null;
  return speedy_delivery_price ?? Number(zona.precio);
}
