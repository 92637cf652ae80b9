import "../inbox/inbox-texts.ts";
import { Skeleton } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { channelNames } from "../inbox/channels.ts";
import { answered, api, type Contact, type paths } from "../shared/api.ts";
import { useMoney } from "../shared/money.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./contact.module.css";
import { contactKey } from "./contacts.ts";

type Details = paths["/chats/{id}"]["get"]["responses"][200]["content"]["application/json"];

/** Orders and ads are read for so many chats, the latest first; hardly a contact has more. */
const mostRead = 5;
const freshMs = 30_000;

const byLatest = (a: Contact["chats"][number], b: Contact["chats"][number]): number =>
  (b.ultimo_mensaje ?? "").localeCompare(a.ultimo_mensaje ?? "");

/** The contact's chats, and what is known through them: orders, and the ad that it came from. */
export function ContactChats({ contact: { id, chats } }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const latest = [...chats].sort(byLatest);
  const read = useQueries({
    queries: latest.slice(0, mostRead).map(({ chat_id }) => ({
      queryKey: [...contactKey(id), "chat", chat_id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        answered(api.GET("/chats/{id}", { params: { path: { id: chat_id } }, signal })),
      staleTime: freshMs,
    })),
  });
  const details = read.flatMap(({ data }) => data ?? []);
  return (
    <>
      <section aria-labelledby="contact-chats">
        <h3 id="contact-chats" className={styles.heading}>
          {t("chats")}
        </h3>
        {latest.length === 0 && <p className={styles.dim}>{t("noChats")}</p>}
        <ul className={styles.entries}>
          {latest.map((chat) => (
            <ChatEntry key={chat.chat_id} chat={chat} details={details.find((each) => each.chat_id === chat.chat_id)} />
          ))}
        </ul>
      </section>
      {latest.length > 0 && <Orders details={details} isPending={read.some(({ isPending }) => isPending)} />}
      <Origin details={details} />
    </>
  );
}

interface ChatEntryProps {
  readonly chat: Contact["chats"][number];
  readonly details: Details | undefined;
}

function ChatEntry({ chat: { chat_id, provider, ultimo_mensaje }, details }: ChatEntryProps) {
  const { t } = useTranslation();
  const clock = useClock();
  return (
    <li>
      <Link to="/inbox/$chat" params={{ chat: String(chat_id) }} className={styles.entry}>
        <span className={styles.line}>
          <b>{channelNames[provider]}</b>
          <span className={styles.dim}>{ultimo_mensaje ? clock.brief(ultimo_mensaje) : ""}</span>
        </span>
        <span className={styles.dim}>{details ? t(`state.${details.estado}`) : "\u00a0"}</span>
      </Link>
    </li>
  );
}

interface OrdersProps {
  readonly details: readonly Details[];
  readonly isPending: boolean;
}

function Orders({ details, isPending }: OrdersProps) {
  const { t } = useTranslation("contacts");
  const { t: inInbox } = useTranslation("inbox");
  const money = useMoney();
  const clock = useClock();
  const orders = details.flatMap(({ pedidos }) => pedidos).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <section aria-labelledby="contact-orders">
      <h3 id="contact-orders" className={styles.heading}>
        {t("orders")}
      </h3>
      {isPending && <Skeleton height={56} radius="md" />}
      {!isPending && orders.length === 0 && <p className={styles.dim}>{t("noOrders")}</p>}
      <ul className={styles.entries}>
        {orders.map(({ id, tab, total, createdAt }) => (
          <li key={id}>
            <Link to="/orders/$order" params={{ order: String(id) }} className={styles.entry}>
              <span className={styles.line}>
                <b>{inInbox("order", { id })}</b>
                <span>{money(total)}</span>
              </span>
              <span className={styles.line}>
                <span className={styles.dim}>{inInbox(`orderState.${tab as "pending"}`)}</span>
                <span className={styles.dim}>{clock.brief(createdAt)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** The ad that the latest of its chats came from. */
function Origin({ details }: { readonly details: readonly Details[] }) {
  const { t } = useTranslation("contacts");
  const found = details.find(({ anuncio }) => anuncio !== null);
  if (!found) return null;
  const said = (found.anuncio ?? {}) as Readonly<Record<string, unknown>>;
  const textOf = (name: string): string => (typeof said[name] === "string" ? said[name] : "");
  const url = textOf("source_url");
  return (
    <section aria-labelledby="contact-origin">
      <h3 id="contact-origin" className={styles.heading}>
        {t("origin")}
      </h3>
      <div className={styles.origin}>
        <b>{textOf("headline") || t("ad", { id: textOf("source_id") })}</b>
        {textOf("body") && <span className={styles.dim}>{textOf("body")}</span>}
        {isWeb(url) && (
          <a href={url} target="_blank" rel="noreferrer" className={styles.link}>
            {t("openAd")}
          </a>
        )}
      </div>
    </section>
  );
}
