import { useDroppable } from "@dnd-kit/core";
import { Button, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { NextFailed } from "../shared/next-failed.tsx";
import styles from "./board.module.css";
import { cardsOf, columnKey, fetchColumn, nextPage, type Wanted } from "./board.ts";
import { BoardCard } from "./card.tsx";
import type { Card, State } from "./orders.ts";

const cardHeight = 124;
const loadAhead = 8;

interface ColumnProps {
  readonly state: State;
  readonly wanted: Wanted;
  readonly count: number | undefined;
  /** Whether the dragged card may be dropped here; null while no card is dragged. */
  readonly mayTake: boolean | null;
  readonly onMove: (card: Card, to: State) => void;
}

export function Column({ state, wanted, count, mayTake, onMove }: ColumnProps) {
  const { t } = useTranslation("orders");
  const { empresa } = useMe();
  const { setNodeRef, isOver } = useDroppable({ id: state });
  const found = useInfiniteQuery({
    queryKey: columnKey(empresa.id, state, wanted),
    queryFn: ({ pageParam, signal }) => fetchColumn(empresa.id, state, wanted, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });
  const { data, isPending, isError, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError } = found;
  const loadNext = (): void => void found.fetchNextPage({ cancelRefetch: false });
  const cards = useMemo(() => cardsOf(data?.pages ?? []), [data]);

  return (
    <section ref={setNodeRef} className={styles.column} data-state={state} data-takes={mayTake} data-over={isOver}>
      <h2 className={styles.heading}>
        <span className={styles.mark} aria-hidden="true" />
        {t(`states.${state}`)}
        <span className={styles.count}>{count ?? ""}</span>
      </h2>
      {isPending && [1, 2, 3].map((place) => <Skeleton key={place} height={cardHeight - 10} mb={10} radius="md" />)}
      {isError && !data && (
        <div role="alert" className={styles.none}>
          <Text size="sm">{t("loadFailed")}</Text>
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            {t("again")}
          </Button>
        </div>
      )}
      {data && (
        <Cards
          label={t(`states.${state}`)}
          cards={cards}
          onMove={onMove}
          onEnd={() => hasNextPage && !isFetchingNextPage && !isFetchNextPageError && loadNext()}
        />
      )}
      {isFetchNextPageError && <NextFailed text={t("loadFailed")} again={t("again")} onAgain={loadNext} />}
      {data && cards.length === 0 && (
        <Text size="sm" className={styles.none} c="dimmed">
          {t(`none.${state}`)}
        </Text>
      )}
    </section>
  );
}

interface CardsProps {
  readonly label: string;
  readonly cards: readonly Card[];
  readonly onMove: (card: Card, to: State) => void;
  readonly onEnd: () => void;
}

function Cards({ label, cards, onMove, onEnd }: CardsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => cardHeight,
    getItemKey: (index) => cards[index]?.id ?? index,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= cards.length - loadAhead) onEnd();
  });
  return (
    // Without cards this element takes no space, so that the text below it stays near the heading.
    <div ref={scroller} className={styles.scroller} data-empty={cards.length === 0}>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser would measure list items that are not there. */}
      <div role="list" aria-label={label} style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start, key }) => {
          const card = cards[index];
          if (!card) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as the list.
            <div
              key={key}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={cards.length}
              ref={virtualizer.measureElement}
              data-index={index}
              className={styles.place}
              style={{ transform: `translateY(${start}px)` }}
            >
              <BoardCard card={card} onMove={onMove} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
