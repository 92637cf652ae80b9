import "./inbox-texts.ts";
import { Alert, Badge, Button, Skeleton, Switch, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, type Chat } from "../shared/api.ts";
import { isErased } from "../shared/customer.ts";
import { Icon } from "../shared/icons.tsx";
import { useClock } from "../shared/use-clock.ts";
import { AdOrigin, type ChatDetails, OrderLinks } from "./chat-facts.tsx";
import { showAnswered } from "./chat-lists.ts";
import styles from "./chat-side.module.css";
import { ContactCard } from "./contact-card.tsx";
import { Failure } from "./failure.tsx";
import { reloadSide, sideKey } from "./side.ts";
import { TagEditor } from "./tag-editor.tsx";

const fetchDetails = (id: number): Promise<ChatDetails> =>
  answered(api.GET("/chats/{id}", { params: { path: { id } } }));

/** The panel with the contact, tags, orders and tickets of a chat. Its code is loaded separately. */
export default function ChatSide({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation("inbox");
  const { t: tCommon } = useTranslation();
  const id = chat.chat_id;
  const { data, isError, refetch } = useQuery({ queryKey: sideKey(id), queryFn: () => fetchDetails(id), staleTime: 0 });
  const first = useRef(chat.version);
  useEffect(() => {
    if (chat.version !== first.current) reloadSide();
  }, [chat.version]);

  if (!data && isError)
    return (
      <Alert color="red" variant="outline" role="alert">
        <p className={styles.plain}>{t("failed")}</p>
        <Button size="xs" mt="xs" variant="default" onClick={() => void refetch()}>
          {tCommon("inbox.retry")}
        </Button>
      </Alert>
    );
  if (!data)
    return (
      <div className={styles.side}>
        {[140, 70, 90, 90].map((height, index) => (
          <Skeleton key={index.toString()} height={height} radius="md" />
        ))}
      </div>
    );
  const reason = data.conversaciones.find(({ id: each }) => each === data.conversacion_id)?.motivo;
  return (
    <div className={styles.side}>
      <ContactCard contact={data.contacto} />
      <ChatTags chat={chat} />
      {!isErased(chat.contacto) && <Bot chat={chat} />}
      <Orders chatId={id} orders={data.pedidos} />
      <Tickets tickets={data.tickets} />
      {reason && (
        <Section title={t("closedWhy")}>
          <p className={styles.plain}>{reason}</p>
        </Section>
      )}
      {(data.anuncio_id !== null || data.anuncio !== null) && (
        <Section title={t("origin")}>
          <AdOrigin adId={data.anuncio_id} ad={data.anuncio} />
        </Section>
      )}
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h3 className={styles.heading}>{title}</h3>
      {children}
    </section>
  );
}

function ChatTags({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation("inbox");
  const change = useMutation({
    mutationFn: ({ tag_id, isOn }: { readonly tag_id: number; readonly isOn: boolean }) => {
      const params = { path: { id: chat.chat_id, tag_id } };
      const path = "/chats/{id}/tags/{tag_id}" as const;
      return answered(isOn ? api.PUT(path, { params }) : api.DELETE(path, { params }));
    },
    onSuccess: showAnswered,
  });
  return (
    <Section title={t("chatTags")}>
      <TagEditor
        label={t("chatTags")}
        tags={chat.tags}
        onAdd={({ id }) => change.mutate({ tag_id: id, isOn: true })}
        onRemove={({ id }) => change.mutate({ tag_id: id, isOn: false })}
      />
      <Failure error={change.error} />
    </Section>
  );
}

function Bot({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation("inbox");
  const change = useMutation({
    mutationFn: (disponible: boolean) =>
      answered(api.POST("/chats/{id}/bot", { params: { path: { id: chat.chat_id } }, body: { disponible } })),
    onSuccess: showAnswered,
  });
  return (
    <div>
      <Switch
        label={t("bot")}
        checked={change.isPending ? change.variables : chat.bot_disponible}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Failure error={change.error} />
    </div>
  );
}

function Orders({ chatId, orders }: { readonly chatId: number; readonly orders: ChatDetails["pedidos"] }) {
  const { t } = useTranslation("inbox");
  return (
    <Section title={t("orders")}>
      {orders.length === 0 && <Text className={styles.none}>{t("noOrders")}</Text>}
      <OrderLinks orders={orders} />
      <Button
        renderRoot={(props) => <Link to="/orders/new" search={{ chat: chatId }} {...props} />}
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={15} />}
      >
        {t("newOrder")}
      </Button>
    </Section>
  );
}

function Tickets({ tickets }: { readonly tickets: ChatDetails["tickets"] }) {
  const { t } = useTranslation("inbox");
  const clock = useClock();
  return (
    <Section title={t("tickets")}>
      {tickets.length === 0 && <Text className={styles.none}>{t("noTickets")}</Text>}
      <ul className={styles.list}>
        {tickets.map(({ id, estado, paso, departamento, agente, creado }) => (
          <li key={id} className={styles.ticket}>
            <span className={styles.line}>
              <b>{paso.nombre}</b>
              <Badge size="sm" variant="default" tt="none" fw={500} className={styles.badge}>
                {t(`ticketState.${estado}`)}
              </Badge>
            </span>
            <span className={styles.line}>
              <span className={styles.dim}>{[departamento?.nombre, agente?.nombre].filter(Boolean).join(" · ")}</span>
              <span className={`${styles.dim} ${styles.when}`}>{clock.brief(creado)}</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
