import { Button, Loader, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { NextFailed } from "../shared/next-failed.tsx";
import { SearchBox } from "../shared/search-box.tsx";
import { useSetSearch } from "../shared/use-set-search.ts";
import { FilterButton, FilterChips, useFilters } from "./chat-filters.tsx";
import styles from "./chat-list.module.css";
import { type ChatFilter, fetchChats, listKey, rowsOf, type View, views } from "./chat-lists.ts";
import { ChatRows } from "./chat-rows.tsx";
import { type InboxSearch, isFiltered, noFilters } from "./inbox-search.ts";
import { useCounts } from "./use-counts.ts";
import { useShortcuts } from "./use-shortcuts.ts";

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
  const [chosen, change] = useFilters();
  const { state = null, department: departmentId = null, tag: tagId = null } = chosen;
  const filter = useMemo(
    () => ({ view, q, userId, state, departmentId, tagId }),
    [view, q, userId, state, departmentId, tagId],
  );
  const chats = useChats(filter);
  const rows = useMemo(() => rowsOf(chats.data), [chats.data]);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = chats;
  const isNarrowed = isFiltered(chosen);
  const showsAll = view === "all" && q === "" && !isNarrowed;
  const { t: tInbox } = useTranslation("inbox");
  const saysNothing = q === "" ? t("inbox.none") : t("inbox.noneFound", { q });

  return (
    <section className={styles.panel} aria-label={t("nav.inbox")}>
      <p className={styles.title} aria-hidden="true">
        {t("nav.inbox")}
      </p>
      <div className={styles.find}>
        <Search q={q} />
        <FilterButton />
      </div>
      <Views view={view} />
      <FilterChips />
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
        <div className={styles.empty} data-empty={showsAll || undefined}>
          <Text c="dimmed">{saysNothing}</Text>
          {isNarrowed && (
            <Button variant="default" size="xs" onClick={() => change(noFilters)}>
              {tInbox("clear")}
            </Button>
          )}
        </div>
      )}
      {chats.data && (
        <ChatRows
          key={JSON.stringify(filter)}
          rows={rows}
          openId={openId}
          onEnd={() => hasNextPage && !isFetchingNextPage && !isFetchNextPageError && void fetchNextPage()}
        />
      )}
      {isFetchNextPageError && (
        <NextFailed text={t("inbox.failed")} again={t("inbox.retry")} onAgain={() => void fetchNextPage()} />
      )}
    </section>
  );
}

function Search({ q }: { readonly q: string }) {
  const { t } = useTranslation();
  const set = useSetSearch<InboxSearch>();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus() });
  return (
    <SearchBox
      ref={field}
      label={t("inbox.search")}
      q={q}
      onSearch={(wanted) => set({ q: wanted || undefined })}
      className={styles.search}
    />
  );
}

/** Takes up space even before the count is known, so that the views do not move later. */
function Count({ count }: { readonly count: number | undefined }) {
  return <span className={styles.count}>{count !== undefined && count > 999 ? "999+" : count}</span>;
}

function Views({ view }: { readonly view: View }) {
  const { t } = useTranslation();
  const all = useCounts();
  const counts: Partial<Record<View, number>> | undefined = all && { ...all, bot: all.by_estado.bot };
  return (
    <nav aria-label={t("views.label")} className={styles.views}>
      {views.map((each) => (
        <Link
          key={each}
          to="."
          search={({ view: _, ...others }: InboxSearch) => ({ ...others, ...(each !== "all" && { view: each }) })}
          className={styles.view}
          data-chosen={each === view}
          aria-current={each === view ? "true" : undefined}
          activeProps={{}}
        >
          {t(`views.${each}`)}
          {each !== "all" && <Count count={counts && (counts[each] ?? 0)} />}
        </Link>
      ))}
    </nav>
  );
}
