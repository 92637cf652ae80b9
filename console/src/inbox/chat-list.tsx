import { Button, Loader, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { answered, api } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./chat-list.module.css";
import { type ChatFilter, fetchChats, listKey, rowsOf, type View, views } from "./chat-lists.ts";
import { ChatRow } from "./chat-row.tsx";

const rowHeight = 78;
const searchPauseMs = 250;

function useChats(filter: ChatFilter) {
  return useInfiniteQuery({
    queryKey: listKey(filter),
    queryFn: ({ pageParam, signal }) => fetchChats(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

export function ChatList({ openId }: { readonly openId: number }) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const { view = "all", q = "" } = useSearch({ from: "/inbox" });
  const chats = useChats(useMemo(() => ({ view, q, userId }), [view, q, userId]));
  const rows = useMemo(() => rowsOf(chats.data), [chats.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = chats;

  return (
    <section className={styles.panel} aria-label={t("nav.inbox")}>
      <p className={styles.title} aria-hidden="true">
        {t("nav.inbox")}
      </p>
      <Search key={view} q={q} />
      <Views view={view} q={q} />
      {chats.isPending && <Loader className={styles.loader} size="sm" aria-label={t("thread.loading")} role="status" />}
      {chats.isError && !chats.data && (
        <div className={styles.empty} role="alert">
          <Text>{t("inbox.failed")}</Text>
          <Button variant="default" onClick={() => void chats.refetch()}>
            {t("inbox.retry")}
          </Button>
        </div>
      )}
      {chats.data && rows.length === 0 && (
        <Text className={styles.empty} c="dimmed">
          {q === "" ? t("inbox.none") : t("inbox.noneFound", { q })}
        </Text>
      )}
      {chats.data && (
        <Rows
          key={`${view} ${q}`}
          rows={rows}
          openId={openId}
          onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
        />
      )}
    </section>
  );
}

interface RowsProps {
  readonly rows: ReturnType<typeof rowsOf>;
  readonly openId: number;
  readonly onEnd: () => void;
}

function Rows({ rows, openId, onEnd }: RowsProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
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
    if (last >= rows.length - 10) onEnd();
  });

  return (
    <div ref={scroller} className={styles.scroller}>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser would measure list items that are not there. */}
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
  );
}

function Search({ q }: { readonly q: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const [wanted] = useDebouncedValue(text.trim().slice(0, 100), searchPauseMs);
  const shown = useRef(q);
  useEffect(() => {
    if (wanted === shown.current) return;
    shown.current = wanted;
    const search = ({ view }: { readonly view?: View }) => ({ ...(view && { view }), ...(wanted && { q: wanted }) });
    void navigate({ to: ".", search, replace: true });
  }, [wanted, navigate]);
  return (
    <TextInput
      className={styles.search}
      type="search"
      aria-label={t("inbox.search")}
      placeholder={t("inbox.search")}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<Icon name="search" size={18} />}
    />
  );
}

function Views({ view, q }: { readonly view: View; readonly q: string }) {
  const { t } = useTranslation();
  const counts = useCounts();
  return (
    <nav aria-label={t("views.label")} className={styles.views}>
      {views.map((each) => (
        <Link
          key={each}
          to="."
          search={{ ...(each !== "all" && { view: each }), ...(q && { q }) }}
          className={styles.view}
          data-chosen={each === view}
          aria-current={each === view ? "true" : undefined}
          activeProps={{}}
        >
          {t(`views.${each}`)}
          {counts?.[each] ? <span className={styles.count}>{counts[each] > 999 ? "999+" : counts[each]}</span> : null}
        </Link>
      ))}
    </nav>
  );
}

const countsEveryMs = 15_000;

function useCounts(): Partial<Record<View, number>> | undefined {
  const { data } = useQuery({
    queryKey: ["counts"],
    queryFn: () => answered(api.GET("/chats/counts")),
    refetchInterval: countsEveryMs,
  });
  return data && { mine: data.mine, unassigned: data.unassigned, unread: data.unread, bot: data.by_estado.bot };
}
