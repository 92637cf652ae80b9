import "./inbox-texts.ts";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { paths } from "../shared/api.ts";
import { useMoney } from "../shared/money.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./chat-facts.module.css";
import { fieldsOf, textOf } from "./media.ts";

export type ChatDetails = paths["/chats/{id}"]["get"]["responses"][200]["content"]["application/json"];

/** Links to the panels of orders, with their totals. */
export function OrderLinks({ orders }: { readonly orders: ChatDetails["pedidos"] }) {
  const { t } = useTranslation("inbox");
  const money = useMoney();
  const clock = useClock();
  return (
    <ul className={styles.list}>
      {orders.map(({ id, tab, total, createdAt }) => (
        <li key={id}>
          <Link to="/orders/$order" params={{ order: String(id) }} className={styles.entry}>
            <span className={styles.line}>
              <b>{t("order", { id })}</b>
              <span>{money(total)}</span>
            </span>
            <span className={styles.line}>
              <span className={styles.dim}>{t(`orderState.${tab as "pending"}`)}</span>
              <span className={styles.dim}>{clock.brief(createdAt)}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

interface AdProps {
  readonly adId: string | null;
  /** The platform's fields. Any of them may be missing. */
  readonly ad: ChatDetails["anuncio"];
}

/** The ad that a chat came from. */
export function AdOrigin({ adId, ad }: AdProps) {
  const { t } = useTranslation("inbox");
  const { source_url, source_id, headline, body } = fieldsOf(ad);
  const url = textOf(source_url);
  return (
    <div className={styles.entry}>
      <b>{textOf(headline) || t("ad", { id: adId ?? textOf(source_id) })}</b>
      {textOf(body) && <span className={styles.dim}>{textOf(body)}</span>}
      {isWeb(url) && (
        <a href={url} target="_blank" rel="noreferrer" className={styles.link}>
          {t("openAd")}
        </a>
      )}
    </div>
  );
}
