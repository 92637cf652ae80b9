import { Skeleton } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { channelNames } from "../inbox/channels.ts";
import facts from "../inbox/chat-facts.module.css";
import { AdOrigin, type ChatDetails, OrderLinks } from "../inbox/chat-facts.tsx";
import { answered, api, type Contact } from "../shared/api.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./contact.module.css";
import { contactKey, latestChats } from "./contacts.ts";

/** Orders and ads are read only for this many of the latest chats. Few contacts have more chats. */
const mostRead = 5;
const freshMs = 30_000;

/** The contact's chats and orders, and the ad that the contact came from. */
export function ContactChats({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const latest = latestChats(contact);
  const read = useQueries({
    queries: latest.slice(0, mostRead).map(({ chat_id }) => ({
      queryKey: [...contactKey(contact.id), "chat", chat_id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        answered(api.GET("/chats/{id}", { params: { path: { id: chat_id } }, signal })),
      staleTime: freshMs,
    })),
  });
  const details = read.flatMap(({ data }) => data ?? []);
  const origin = details.find(({ anuncio }) => anuncio !== null);
  return (
    <>
      <section aria-labelledby="contact-chats">
        <h3 id="contact-chats" className={styles.heading}>
          {t("chats")}
        </h3>
        {latest.length === 0 && <p className={styles.dim}>{t("noChats")}</p>}
        <ul className={facts.list}>
          {latest.map((chat) => (
            <ChatEntry key={chat.chat_id} chat={chat} details={details.find((each) => each.chat_id === chat.chat_id)} />
          ))}
        </ul>
      </section>
      {latest.length > 0 && <Orders details={details} isPending={read.some(({ isPending }) => isPending)} />}
      {origin && (
        <section aria-labelledby="contact-origin">
          <h3 id="contact-origin" className={styles.heading}>
            {t("origin")}
          </h3>
          <AdOrigin adId={origin.anuncio_id} ad={origin.anuncio} />
        </section>
      )}
    </>
  );
}

interface ChatEntryProps {
  readonly chat: Contact["chats"][number];
  readonly details: ChatDetails | undefined;
}

function ChatEntry({ chat: { chat_id, provider, ultimo_mensaje }, details }: ChatEntryProps) {
  const { t } = useTranslation();
  const clock = useClock();
  return (
    <li>
      <Link to="/inbox/$chat" params={{ chat: String(chat_id) }} className={facts.entry}>
        <span className={facts.line}>
          <b>{channelNames[provider]}</b>
          <span className={facts.dim}>{ultimo_mensaje ? clock.brief(ultimo_mensaje) : ""}</span>
        </span>
        <span className={facts.dim}>{details ? t(`state.${details.estado}`) : "\u00a0"}</span>
      </Link>
    </li>
  );
}

interface OrdersProps {
  readonly details: readonly ChatDetails[];
  readonly isPending: boolean;
}

function Orders({ details, isPending }: OrdersProps) {
  const { t } = useTranslation("contacts");
  const orders = details.flatMap(({ pedidos }) => pedidos).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <section aria-labelledby="contact-orders">
      <h3 id="contact-orders" className={styles.heading}>
        {t("orders")}
      </h3>
      {isPending && <Skeleton height={56} radius="md" />}
      {!isPending && orders.length === 0 && <p className={styles.dim}>{t("noOrders")}</p>}
      <OrderLinks orders={orders} />
    </section>
  );
}
