import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { answered, api } from "../shared/api.ts";
import styles from "./board.module.css";
import { CancelDialog } from "./cancel-dialog.tsx";
import { BoardCard } from "./card.tsx";
import { stateOf } from "./orders.ts";
import { useMove } from "./use-move.ts";

const limit = 30;

/** Matching orders of all columns, newest first. */
export function Found({ q }: { readonly q: string }) {
  const { t } = useTranslation("orders");
  const { empresa } = useMe();
  const { move, cancelling, endCancelling } = useMove();
  const { data, isPending } = useQuery({
    queryKey: ["board", "search", empresa.id, q],
    queryFn: ({ signal }) =>
      answered(
        api.GET("/catalogs/v2/orders/sucursal/{businessId}/search", {
          params: { path: { businessId: empresa.id }, query: { q, limit } },
          signal,
        }),
      ),
    staleTime: 0,
  });
  if (isPending) return <Skeleton height={132} m="md" />;
  if (!data || data.data.length === 0) return <Text className={styles.none}>{t("noneFound", { q })}</Text>;
  return (
    <div className={styles.found}>
      <p className={styles.foundCount}>{t("found", { count: data.total })}</p>
      <ul className={styles.results} aria-label={t("results")}>
        {data.data.map((card) => (
          <li key={card.id} data-state={stateOf(card)}>
            <p className={styles.foundState}>{t(`state.${stateOf(card)}`)}</p>
            <BoardCard card={card} onMove={move} />
          </li>
        ))}
      </ul>
      <CancelDialog order={cancelling} onEnd={endCancelling} />
    </div>
  );
}
