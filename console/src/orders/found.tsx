import { Button, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import styles from "./board.module.css";
import { cardsOf, fetchFound, nextPage, searchKey } from "./board.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { BoardCard } from "./card.tsx";
import { stateOf } from "./orders.ts";
import { useMove } from "./use-move.ts";

/** Matching orders of all columns, newest first. */
export function Found({ q }: { readonly q: string }) {
  const { t } = useTranslation("orders");
  const { empresa } = useMe();
  const { move, cancelling, endCancelling } = useMove();
  const { data, isPending, isError, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    useInfiniteQuery({
      queryKey: searchKey(empresa.id, q),
      queryFn: ({ pageParam, signal }) => fetchFound(empresa.id, q, pageParam, signal),
      initialPageParam: 1,
      getNextPageParam: nextPage,
      staleTime: 0,
    });
  if (isPending) return <Skeleton height={132} m="md" />;
  if (isError && !data) {
    return (
      <div role="alert" className={styles.none}>
        <Text>{t("loadFailed")}</Text>
        <Button variant="default" onClick={() => void refetch()}>
          {t("again")}
        </Button>
      </div>
    );
  }
  const cards = cardsOf(data.pages);
  if (cards.length === 0) return <Text className={styles.none}>{t("noneFound", { q })}</Text>;
  return (
    <div className={styles.found}>
      <p className={styles.foundCount}>{t("found", { count: data.pages.at(-1)?.total ?? cards.length })}</p>
      <ul className={styles.results} aria-label={t("results")}>
        {cards.map((card) => (
          <li key={card.id} data-state={stateOf(card)}>
            <p className={styles.foundState}>{t(`state.${stateOf(card)}`)}</p>
            <BoardCard card={card} onMove={move} />
          </li>
        ))}
      </ul>
      {isFetchNextPageError && <Text role="alert">{t("loadFailed")}</Text>}
      {hasNextPage && (
        <Button
          variant="default"
          mt="sm"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage({ cancelRefetch: false })}
        >
          {t("more")}
        </Button>
      )}
      <CancelDialog order={cancelling} onEnd={endCancelling} />
    </div>
  );
}
