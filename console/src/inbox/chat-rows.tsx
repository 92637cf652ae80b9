import "./inbox-texts.ts";
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "../shared/api.ts";
import styles from "./chat-list.module.css";
import { ChatRow } from "./chat-row.tsx";
import { useHeldRows } from "./use-held-rows.ts";
import { useShortcuts } from "./use-shortcuts.ts";

const rowHeight = 78;
/** The next page is loaded when fewer rows than this are left below. */
const pageAhead = 30;

interface RowsProps {
  readonly rows: readonly Chat[];
  readonly openId: number;
  readonly onEnd: () => void;
}

export function ChatRows({ rows: loaded, openId, onEnd }: RowsProps) {
  const { t } = useTranslation();
  const { t: tInbox } = useTranslation("inbox");
  const scroller = useRef<HTMLDivElement>(null);
  const { rows, news, release } = useHeldRows(loaded, scroller);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.chat_id ?? index,
    overscan: 8,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - pageAhead) onEnd();
  });

  useNeighbours(rows, openId, virtualizer);

  return (
    <div className={styles.rows}>
      {news > 0 && (
        <Button size="compact-sm" radius="xl" className={styles.news} onClick={release}>
          {tInbox("held", { count: news })}
        </Button>
      )}
      <div ref={scroller} className={styles.scroller}>
        {/* biome-ignore lint/a11y/useSemanticElements: only visible rows are rendered, so a `ul` would have a wrong length. */}
        <div
          role="list"
          aria-label={t("inbox.list")}
          style={{ height: virtualizer.getTotalSize(), position: "relative" }}
        >
          {items.map(({ index, start, key }) => {
            const chat = rows[index];
            if (!chat) return null;
            return (
              <ChatRow
                key={key}
                chat={chat}
                isOpen={chat.chat_id === openId}
                place={{ top: start, height: rowHeight, index: index + 1, count: rows.length }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Keys open the next and the previous chat. */
function useNeighbours(rows: readonly Chat[], openId: number, virtualizer: Virtualizer<HTMLDivElement, Element>): void {
  const navigate = useNavigate();
  const go = (step: 1 | -1): void => {
    const at = rows.findIndex(({ chat_id }) => chat_id === openId);
    const index = at < 0 ? 0 : at + step;
    const chat = rows[index];
    if (!chat) return;
    virtualizer.scrollToIndex(index);
    void navigate({ to: "/inbox/$chat", params: { chat: String(chat.chat_id) }, search: (before: object) => before });
  };
  useShortcuts({ j: () => go(1), k: () => go(-1) });
}
