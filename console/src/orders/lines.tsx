import { Alert, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { onceFor, useOutcome } from "../shared/once.ts";
import { queryClient } from "../shared/query.ts";
import { AddLine } from "./add-line.tsx";
import { extrasOf } from "./amounts.ts";
import styles from "./drawer.module.css";
import { LineRow } from "./line-row.tsx";
import { addLine, isOpen, type NewLine, type OpenOrder, orderKey, removeLine } from "./orders.ts";

type Change =
  | { readonly kind: "add"; readonly line: NewLine; readonly key: string }
  | { readonly kind: "remove"; readonly id: number };

export function Lines({ opened: { order, version } }: { readonly opened: OpenOrder }) {
  const { t } = useTranslation("orders");
  const [isAdding, setAdding] = useState(false);
  const once = onceFor(`line ${order.id}`);
  const outcomeOf = useOutcome();
  const change = useMutation({
    mutationFn: async (what: Change): Promise<void> => {
      if (what.kind === "add") await addLine(order.id, what.line, version, what.key);
      else await removeLine(order.id, what.id, version);
    },
    onSuccess: (_, what) => {
      if (what.kind === "remove") return;
      once.done(what.key);
      setAdding(false);
    },
    onError: (error, what) => what.kind === "add" && once.failed(what.key, error),
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
          <LineRow
            key={line.id}
            quantity={line.quantity}
            name={line.articulo.name}
            price={Number(line.articulo.price)}
            extras={extrasOf(order, line)}
            onRemove={mayEdit ? () => change.mutate({ kind: "remove", id: line.id }) : null}
            isBusy={change.isPending}
          />
        ))}
      </ul>
      {change.isError && (
        <Alert color="red" variant="outline" role="alert" mt="xs" withCloseButton onClose={change.reset}>
          {outcomeOf(
            change.error,
            t(change.error instanceof Refused && change.error.status === 412 ? "changedMeanwhile" : "notSaved"),
          )}
        </Alert>
      )}
      {mayEdit && (
        <AddLine
          isOpen={isAdding}
          onOpen={(isOpening) => {
            // Closing the form discards its Idempotency-Key. The user can see whether the order has the line, so a line
            // that is entered later is meant as another one.
            if (!isOpening) once.forget();
            setAdding(isOpening);
          }}
          isSaving={change.isPending && change.variables.kind === "add"}
          onPick={(line) => change.mutate({ kind: "add", line, key: once.begin() })}
        />
      )}
    </section>
  );
}
