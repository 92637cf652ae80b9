import "./texts.ts";
import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { showInRow } from "../shared/show-in-row.ts";
import { startOfDay } from "../shared/time.ts";
import styles from "./board.module.css";
import { type BoardSearch, countsKey, fetchCounts, type Wanted } from "./board.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { CardFace } from "./card.tsx";
import { Column } from "./column.tsx";
import { Filters } from "./filters.tsx";
import { Found } from "./found.tsx";
import { type Card, nextStates, type State, states } from "./orders.ts";
import { useMove } from "./use-move.ts";

/** A press becomes a drag after a movement of this many pixels. With less movement, the press is a click. */
const dragDistance = 6;
/** A touch of `delay` milliseconds drags a card. If the finger moves `tolerance` pixels sooner, the board scrolls. */
const touchHold = { delay: 250, tolerance: 8 } as const;

export function OrdersScreen() {
  const { t } = useTranslation("orders");
  const { q } = useSearch({ from: "/orders" });
  return (
    <div className={styles.page}>
      <VisuallyHidden component="h1">{t("title")}</VisuallyHidden>
      <Filters />
      {q ? <Found q={q} /> : <Board />}
      <Outlet />
    </div>
  );
}

function useWanted(): Wanted {
  const { zona_horaria } = useMe();
  const { branch, agent, from, to } = useSearch({ from: "/orders" });
  return useMemo(
    () => ({
      ...(branch !== undefined && { sucursalId: branch }),
      ...(agent !== undefined && { userId: agent }),
      ...(from !== undefined && { from: startOfDay(from, zona_horaria) }),
      ...(to !== undefined && { to: startOfDay(to, zona_horaria, 1) }),
    }),
    [branch, agent, from, to, zona_horaria],
  );
}

function Board() {
  const { t } = useTranslation("orders");
  const { empresa, administrador } = useMe();
  const { tab = "pending" } = useSearch({ from: "/orders" });
  const wanted = useWanted();
  const counts = useQuery({
    queryKey: countsKey(empresa.id, wanted),
    queryFn: ({ signal }) => fetchCounts(empresa.id, wanted, signal),
  });
  const isPhone = useMediaQuery("(max-width: 719px)", false, { getInitialValueInEffect: false });
  const [dragged, setDragged] = useState<Card | null>(null);
  const { move, cancelling, endCancelling } = useMove();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: dragDistance } }),
    useSensor(TouchSensor, { activationConstraint: touchHold }),
  );
  const drop = ({ over }: DragEndEvent): void => {
    if (dragged && over) move(dragged, over.id as State);
    setDragged(null);
  };

  return (
    <>
      {isPhone && <Tabs tab={tab} counts={counts.data} />}
      <DndContext
        sensors={sensors}
        accessibility={{ screenReaderInstructions: { draggable: t("dragHelp") } }}
        onDragStart={({ active }) => setDragged(active.data.current as Card)}
        onDragEnd={drop}
        onDragCancel={() => setDragged(null)}
      >
        <div className={styles.columns} data-phone={isPhone}>
          {states
            .filter((state) => !isPhone || state === tab)
            .map((state) => (
              <Column
                key={state}
                state={state}
                wanted={wanted}
                count={counts.data?.[state]}
                mayTake={dragged === null ? null : nextStates(dragged, administrador).includes(state)}
                onMove={move}
              />
            ))}
        </div>
        <DragOverlay dropAnimation={null}>{dragged && <CardFace card={dragged} />}</DragOverlay>
      </DndContext>
      <CancelDialog order={cancelling} onEnd={endCancelling} />
    </>
  );
}

interface TabsProps {
  readonly tab: State;
  readonly counts: Readonly<Record<State, number>> | undefined;
}

function Tabs({ tab, counts }: TabsProps) {
  const { t } = useTranslation("orders");
  const row = useRef<HTMLElement>(null);
  // On a phone only some tabs are visible, so the chosen tab is scrolled into view.
  useEffect(() => showInRow(row.current, row.current?.children[states.indexOf(tab)]), [tab]);
  return (
    <nav ref={row} aria-label={t("tabs")} className={styles.tabs}>
      {states.map((state) => (
        <Link
          key={state}
          to="/orders"
          search={({ tab: _, ...search }: BoardSearch) => ({ ...search, ...(state !== "pending" && { tab: state }) })}
          className={styles.tab}
          data-chosen={state === tab}
          aria-current={state === tab ? "true" : undefined}
          activeProps={{}}
        >
          {t(`states.${state}`)}
          <span className={styles.count}>{counts?.[state] ?? ""}</span>
        </Link>
      ))}
    </nav>
  );
}
