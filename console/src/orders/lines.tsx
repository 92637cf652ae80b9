import { ActionIcon, Alert, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { useMoney } from "../shared/money.ts";
import { queryClient } from "../shared/query.ts";
import styles from "./drawer.module.css";
import { LinePicker } from "./line-picker.tsx";
import {
  addLine,
  isOpen,
  type NewLine,
  type OpenOrder,
  type Order,
  type OrderLine,
  orderKey,
  removeLine,
} from "./orders.ts";

type Change =
  | { readonly kind: "add"; readonly line: NewLine; readonly once: string }
  | { readonly kind: "remove"; readonly id: number };

export function Lines({ opened: { order, version } }: { readonly opened: OpenOrder }) {
  const { t } = useTranslation("orders");
  const [isAdding, setAdding] = useState(false);
  const change = useMutation({
    mutationFn: async (what: Change): Promise<void> => {
      if (what.kind === "add") await addLine(order.id, what.line, version, what.once);
      else await removeLine(order.id, what.id, version);
    },
    onSuccess: (_, { kind }) => kind === "add" && setAdding(false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: orderKey(order.id) }),
  });
  const mayEdit = isOpen(order);
  return (
    <section aria-labelledby="lines">
      <h3 id="lines" className={styles.heading}>
        {t("lines")}
      </h3>
      {order.details.length === 0 && <Text c="dimmed">{t("noLines")}</Text>}
      <ul className={styles.lines}>
        {order.details.map((line) => (
          <Line
            key={line.id}
            order={order}
            line={line}
            onRemove={mayEdit && !change.isPending ? () => change.mutate({ kind: "remove", id: line.id }) : null}
          />
        ))}
      </ul>
      {change.isError && (
        <Alert color="red" variant="outline" role="alert" mt="xs" withCloseButton onClose={change.reset}>
          {t(change.error instanceof Refused && change.error.status === 412 ? "changedMeanwhile" : "notSaved")}
        </Alert>
      )}
      {mayEdit &&
        (isAdding ? (
          <LinePicker
            isSaving={change.isPending}
            onPick={(line, once) => change.mutate({ kind: "add", line, once })}
            onCancel={() => setAdding(false)}
          />
        ) : (
          <Button
            mt="xs"
            size="sm"
            variant="light"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setAdding(true)}
          >
            {t("addLine")}
          </Button>
        ))}
    </section>
  );
}

interface LineProps {
  readonly order: Order;
  readonly line: OrderLine;
  readonly onRemove: (() => void) | null;
}

function Line({ order, line, onRemove }: LineProps) {
  const { t } = useTranslation("orders");
  const money = useMoney();
  return (
    <li className={styles.orderLine}>
      <span className={styles.quantity}>{line.quantity} ×</span>
      <div className={styles.product}>
        <p>{line.articulo.name}</p>
        {line.extras.map((extra) => (
          <p key={extra.id} className={styles.extra}>
            + {extra.extra.name} <span>{money(extraPriceOf(order, line, extra.extra))}</span>
          </p>
        ))}
      </div>
      <span className={styles.price}>{money(line.articulo.price)}</span>
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("removeLine", { name: line.articulo.name })}
          title={t("removeLine", { name: line.articulo.name })}
          onClick={onRemove}
        >
          <Icon name="trash" size={18} />
        </ActionIcon>
      )}
    </li>
  );
}

interface CustomExtras {
  readonly [orderId: string]: Readonly<Record<string, { readonly price?: unknown } | null>> | null;
}

/** The price that was agreed for this order, or the one of the list. */
export function extraPriceOf(
  order: Order,
  line: OrderLine,
  extra: { readonly id: number; readonly charge: string },
): number {
  const custom = (order.extra_data.customExtras as CustomExtras | undefined)?.[order.id]?.[`${extra.id}:${line.id}`];
  return typeof custom?.price === "number" ? custom.price : Number(extra.charge);
}
