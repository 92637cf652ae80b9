import "./texts.ts";
import { Alert, Button, Group, Select, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, Refused } from "../shared/api.ts";
import { isErased, nameAndPhone } from "../shared/customer.ts";
import { Frozen } from "../shared/frozen.tsx";
import { Icon } from "../shared/icons.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { newKey } from "../shared/new-key.ts";
import { onceFor, useOutcome } from "../shared/once.ts";
import { Panel } from "../shared/panel.tsx";
import { useIsShown } from "../shared/use-is-shown.ts";
import { AddLine } from "./add-line.tsx";
import { placeCard, recount } from "./board.ts";
import { DeliveryFields, noDelivery } from "./delivery-fields.tsx";
import styles from "./drawer.module.css";
import type { PickedNames } from "./line-picker.tsx";
import { LineRow } from "./line-row.tsx";
import { createOrder, type Delivery, type NewLine } from "./orders.ts";

interface Picked {
  readonly key: string;
  readonly line: NewLine;
  readonly shown: PickedNames;
}

export function NewOrder() {
  const { t } = useTranslation("orders");
  const { chat } = useSearch({ from: "/orders/new" });
  const navigate = useNavigate();
  const close = (): void =>
    void navigate({ to: "/orders", search: ({ chat: _, ...search }: Record<string, unknown>) => search });
  return (
    <Panel onClose={close} title={t("newOrder")}>
      <NewOrderForm chatId={chat ?? null} />
    </Panel>
  );
}

function NewOrderForm({ chatId: given }: { readonly chatId: number | null }) {
  const { t } = useTranslation("orders");
  const navigate = useNavigate();
  const outcomeOf = useOutcome();
  const [chatId, setChatId] = useState(given);
  const [lines, setLines] = useState<readonly Picked[]>([]);
  const [isAdding, setAdding] = useState(true);
  const [delivery, setDelivery] = useState<Delivery>(noDelivery);
  const isShown = useIsShown();
  const once = onceFor(`order ${chatId}`);
  // When the user leaves the page or the chat changes, the Idempotency-Key is discarded. A later order is a new order,
  // even if it has the same contents.
  useEffect(() => onceFor(`order ${chatId}`).forget, [chatId]);
  const make = useMutation({
    mutationFn: (key: string) =>
      createOrder(
        chatId,
        chatId === null ? "call" : "wa",
        lines.map(({ line }) => line),
        delivery,
        key,
      ),
    onError: (error, key) => once.failed(key, error),
    onSuccess: ({ data }, key) => {
      once.done(key);
      placeCard(data);
      recount();
      if (!isShown()) return;
      release();
      void navigate({ to: "/orders/$order", params: { order: String(data.id) }, replace: true });
    },
  });
  const { release, question } = useLeaving(lines.length > 0 || delivery !== noDelivery);
  return (
    <div className={styles.details}>
      <Frozen when={make.isPending}>
        <CustomerField chatId={chatId} isFixed={given !== null} onChoose={setChatId} />
        <section aria-labelledby="new-lines">
          <h3 id="new-lines" className={styles.heading}>
            {t("lines")}
          </h3>
          <ul className={styles.lines}>
            {lines.map((picked) => (
              <LineRow
                key={picked.key}
                {...picked.shown}
                quantity={picked.line.quantity}
                onRemove={() => setLines(lines.filter(({ key }) => key !== picked.key))}
              />
            ))}
          </ul>
          <AddLine
            isOpen={isAdding}
            onOpen={setAdding}
            isSaving={false}
            onPick={(line, shown) => {
              setLines([...lines, { key: newKey(), line, shown }]);
              setAdding(false);
            }}
          />
        </section>
        <section aria-labelledby="new-delivery">
          <h3 id="new-delivery" className={styles.heading}>
            {t("delivery")}
          </h3>
          <DeliveryFields value={delivery} onChange={(more) => setDelivery({ ...delivery, ...more })} />
        </section>
        {make.isError && (
          <Alert color="red" variant="outline" role="alert">
            {make.error instanceof Refused
              ? outcomeOf(make.error, t("link.refused", { reason: make.error.message }))
              : t("refused.unreachable")}
          </Alert>
        )}
        <Group justify="flex-end" className={styles.save}>
          {lines.length === 0 && <Text c="dimmed">{t("needsLine")}</Text>}
          <Button loading={make.isPending} disabled={lines.length === 0} onClick={() => make.mutate(once.begin())}>
            {t("create")}
          </Button>
        </Group>
      </Frozen>
      {question}
    </div>
  );
}

interface CustomerFieldProps {
  readonly chatId: number | null;
  readonly isFixed: boolean;
  readonly onChoose: (chatId: number | null) => void;
}

/** An order without a chat is an order by phone call. */
function CustomerField({ chatId, isFixed, onChoose }: CustomerFieldProps) {
  const { t } = useTranslation("orders");
  const { t: tCommon } = useTranslation();
  const [search, setSearch] = useState("");
  const { data: chat } = useQuery({
    queryKey: ["chat", chatId],
    queryFn: () => answered(api.GET("/chats/{id}", { params: { path: { id: chatId ?? 0 } } })),
    enabled: chatId !== null,
  });
  const { data: found = [] } = useQuery({
    queryKey: ["chats of customers", search],
    queryFn: async ({ signal }) => {
      const query = { limit: 20, ...(search.trim() && { q: search.trim() }) };
      return (await answered(api.GET("/chats", { params: { query }, signal }))).data;
    },
    enabled: !isFixed,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const chosen = chat ?? found.find(({ chat_id }) => chat_id === chatId);
  const chosenName = chosen && nameAndPhone(chosen.contacto, tCommon);
  if (isFixed)
    return (
      <p className={styles.customer}>
        <Icon name="chat" size={18} /> {chosenName ?? t("chatOf", { id: chatId })}
      </p>
    );
  return (
    <Select
      label={t("customer")}
      placeholder={t("customerSearch")}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("filter.clear") }}
      onSearchChange={(text) => setSearch(text === chosenName ? "" : text)}
      filter={({ options }) => options}
      nothingFoundMessage={t("noCustomerFound")}
      data={found
        .filter(({ contacto }) => !isErased(contacto))
        .map(({ chat_id, contacto }) => ({ value: String(chat_id), label: nameAndPhone(contacto, tCommon) }))}
      value={chatId === null ? null : String(chatId)}
      onChange={(id) => onChoose(id === null ? null : Number(id))}
    />
  );
}
