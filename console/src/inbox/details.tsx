import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { answered, api, type Message, Refused } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./media.module.css";
import { fieldsOf, listOf, textOf } from "./media.ts";

export function Details({ message }: { readonly message: Message }) {
  const { tipo, detalles } = message;
  const fields = fieldsOf(detalles);
  if (tipo === "location") return <Location message={message} />;
  if (tipo === "contacts") return <Contacts list={listOf(fields.contacts)} />;
  if (tipo === "order") return <CatalogOrder fields={fieldsOf(fields.order)} messageId={message.id} />;
  return null;
}

/** Shows a location as text. No map service learns it before the user opens the link. */
function Location({ message: { detalles } }: { readonly message: Message }) {
  const { t } = useTranslation("thread");
  const { t: tCommon } = useTranslation();
  const all = fieldsOf(detalles);
  const { latitude, longitude, name, address } = "latitude" in all ? all : fieldsOf(all.location);
  const isPlace = typeof latitude === "number" && typeof longitude === "number";
  const map = isPlace
    ? `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
    : null;
  return (
    <div className={styles.card}>
      <span className={styles.fileIcon}>
        <Icon name="place" />
      </span>
      <span className={styles.fileText}>
        <span className={styles.fileName}>{textOf(name) || tCommon("thread.location")}</span>
        {textOf(address) && textOf(address) !== textOf(name) && (
          <span className={styles.fileDetail}>{textOf(address)}</span>
        )}
        {isPlace && (
          <span className={styles.fileDetail}>
            {latitude.toFixed(5)}, {longitude.toFixed(5)}
          </span>
        )}
        {map && (
          <a href={map} target="_blank" rel="noreferrer noopener" className={styles.outside}>
            {t("location.open")} <Icon name="outside" size={14} />
          </a>
        )}
      </span>
    </div>
  );
}

function Contacts({ list }: { readonly list: readonly unknown[] }) {
  return list.map((entry, index) => {
    const { name, phones, emails, org } = fieldsOf(entry);
    const numbers = listOf(phones).map((phone) => textOf(fieldsOf(phone).phone) || textOf(fieldsOf(phone).wa_id));
    const addresses = listOf(emails).map((email) => textOf(fieldsOf(email).email));
    const fullName = textOf(fieldsOf(name).formatted_name);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: two contacts may be equal, and they never change.
      <div className={styles.card} key={index}>
        <span className={styles.fileIcon}>
          <Icon name="contacts" />
        </span>
        <span className={styles.fileText}>
          <span className={styles.fileName}>{fullName || numbers[0]}</span>
          {textOf(fieldsOf(org).company) && <span className={styles.fileDetail}>{textOf(fieldsOf(org).company)}</span>}
          {[...numbers, ...addresses].filter(Boolean).map((way) => (
            <span key={way} className={styles.fileDetail}>
              {way}
            </span>
          ))}
        </span>
      </div>
    );
  });
}

/** Whether the value has the form of a currency code. For other texts `Intl` throws an error. */
const isCurrency = (value: unknown): value is string => /^[a-z]{3}$/i.test(textOf(value));

interface OrderProps {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly messageId: number;
}

/** The order is created together with the message, so the answer never changes. */
async function fetchOrderOf(messageId: number, signal: AbortSignal): Promise<number | null> {
  const params = { path: { messageId } };
  try {
    return (await answered(api.GET("/catalogs/orders/of-message/{messageId}", { params, signal }))).id;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

function CatalogOrder({ fields, messageId }: OrderProps) {
  const { t, i18n } = useTranslation("thread");
  const { t: tCommon } = useTranslation();
  const { moneda } = useMe();
  const { data: orderId, isError } = useQuery({
    queryKey: ["order of message", messageId],
    queryFn: ({ signal }) => fetchOrderOf(messageId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const lines = listOf(fields.product_items).map((item) => {
    const { product_retailer_id, quantity, item_price, currency } = fieldsOf(item);
    return {
      product: String(product_retailer_id ?? "—"),
      quantity: Number(quantity),
      price: Number(item_price),
      currency: isCurrency(currency) ? currency : moneda,
    };
  });
  const money = (amount: number, currency: string): string =>
    new Intl.NumberFormat(i18n.language, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(
      amount,
    );
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  return (
    <div className={styles.order}>
      <p className={styles.orderTitle}>
        <Icon name="orders" size={18} /> {tCommon("thread.order")}
      </p>
      <ul className={styles.orderLines}>
        {lines.map(({ product, quantity, price, currency }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal, and they never change.
          <li key={index}>
            <span className={styles.orderCount}>{Number.isFinite(quantity) ? `${quantity} ×` : "?"}</span>
            <span className={styles.orderProduct}>{product}</span>
            {Number.isFinite(price) && <span>{money(price * (quantity || 1), currency)}</span>}
          </li>
        ))}
      </ul>
      {Number.isFinite(total) && total > 0 && (
        <p className={styles.orderTotal}>
          <span>{t("order.total")}</span> <strong>{money(total, lines[0]?.currency ?? moneda)}</strong>
        </p>
      )}
      {/* Keeps the place of the link while the order is looked up, so that the message does not grow. */}
      {orderId === undefined && !isError && <span className={styles.outside} aria-hidden="true" />}
      {typeof orderId === "number" && (
        <Link to="/orders/$order" params={{ order: String(orderId) }} className={styles.outside}>
          {t("order.open", { id: orderId })}
        </Link>
      )}
    </div>
  );
}
