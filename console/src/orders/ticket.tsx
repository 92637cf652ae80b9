import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { nameAndPhone } from "../shared/customer.ts";
import { useMoney } from "../shared/money.ts";
import { useClock } from "../shared/use-clock.ts";
import { amountOf, extrasOf } from "./amounts.ts";
import type { Order } from "./orders.ts";
import { usePaymentName } from "./payments.ts";
import styles from "./ticket.module.css";
import { shippingOf } from "./totals.tsx";

/** The printed form of the open order, for rolls of 80 mm and for A4. The screen does not show it. */
export function Ticket({ order }: { readonly order: Order }) {
  const { t } = useTranslation("orders");
  const { t: tCommon } = useTranslation();
  const { empresa } = useMe();
  const clock = useClock();
  const money = useMoney();
  const paymentName = usePaymentName();
  const shipping = shippingOf(order);
  return createPortal(
    <div className={styles.ticket} aria-hidden="true">
      <p className={styles.shop}>{empresa.nombre}</p>
      <p>
        {t("order", { id: order.id })} · {clock.moment(order.createdAt)}
      </p>
      {order.chat && <p>{nameAndPhone(order.chat.contacto, tCommon)}</p>}
      <p>
        {order.shipment_method ? t(`method.${order.shipment_method}`) : t("undecided")}
        {order.sucursal && ` · ${order.sucursal.nombre}`}
      </p>
      {order.shipment_method !== "pickup" && (order.raw_adress || order.location_picked) && (
        <p>{[order.location_picked, order.raw_adress].filter(Boolean).join(" · ")}</p>
      )}
      {order.schedule_at && (
        <p>
          {t("schedule")}: {clock.moment(order.schedule_at)}
        </p>
      )}
      {order.driver && (
        <p>
          {t("driver")}: {order.driver.nombre}
        </p>
      )}
      <table>
        <tbody>
          {order.details.map((line) => {
            const extras = extrasOf(order, line);
            return (
              <tr key={line.id}>
                <td>{line.quantity}</td>
                <td>
                  {line.articulo.name}
                  {extras.map(({ name, price }, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a line may have the same extra twice.
                    <span key={place} className={styles.extra}>
                      + {name} {money(price)}
                    </span>
                  ))}
                </td>
                <td>{money(amountOf(line.quantity, line.articulo.price, extras))}</td>
              </tr>
            );
          })}
          {shipping !== null && (
            <tr>
              <td />
              <td>{t("shipping")}</td>
              <td>{money(shipping)}</td>
            </tr>
          )}
          {order.discount > 0 && (
            <tr>
              <td />
              <td>{t("discount")}</td>
              <td>−{money(order.discount)}</td>
            </tr>
          )}
          <tr className={styles.total}>
            <td />
            <td>{t("total")}</td>
            <td>{money(order.total)}</td>
          </tr>
        </tbody>
      </table>
      <p>
        {order.payment_method && `${t("payment")}: ${paymentName(order.payment_method)} · `}
        {t(order.paid ? "paid" : "notPaid")}
      </p>
    </div>,
    document.body,
  );
}
