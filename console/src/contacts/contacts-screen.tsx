import "./texts.ts";
import { Button, Skeleton, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, Outlet, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { downloadCsv } from "../shared/download.ts";
import { Icon } from "../shared/icons.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { NextFailed } from "../shared/next-failed.tsx";
import { ContactRows } from "./contact-rows.tsx";
import styles from "./contacts.module.css";
import { type ContactSearch, fetchPage, isFiltered, listKey } from "./contacts.ts";
import { Filters } from "./filters.tsx";
import { shareOf, useImport } from "./use-import.ts";
import { useShownFailure } from "./words.ts";

/** Older data is read again when the screen is opened. */
const freshMs = 30_000;

export function ContactsScreen() {
  const search = useSearch({ from: "/contacts" });
  return (
    <div className={styles.page}>
      <Head search={search} />
      <Filters />
      <ImportLine />
      <List search={search} />
      <Outlet />
    </div>
  );
}

const keep = (search: object) => search;

function Head({ search }: { readonly search: ContactSearch }) {
  const { t } = useTranslation("contacts");
  const { administrador } = useMe();
  const showFailure = useShownFailure();
  const exporting = useMutation({
    mutationFn: () => {
      const filters = Object.entries(search).map(([name, value]) => [name, String(value)]);
      return downloadCsv(`/contacts?${new URLSearchParams(filters)}`, "contactos.csv");
    },
    onError: showFailure,
  });
  return (
    <div className={styles.head}>
      <Title order={1} size="h2">
        {t("title")}
      </Title>
      <div className={styles.actions}>
        {administrador && (
          <>
            <Button
              variant="default"
              aria-label={t("export")}
              title={t(isFiltered(search) ? "exportShown" : "exportAll")}
              loading={exporting.isPending}
              onClick={() => exporting.mutate()}
            >
              <Icon name="download" size={18} />
              <span className={styles.wide}>{t("export")}</span>
            </Button>
            <LinkButton to="/contacts/import" search={keep} variant="default" aria-label={t("import.open")}>
              <Icon name="upload" size={18} />
              <span className={styles.wide}>{t("import.open")}</span>
            </LinkButton>
          </>
        )}
        <LinkButton to="/contacts/new" search={keep} aria-label={t("new")}>
          <Icon name="plus" size={18} />
          <span className={styles.wide}>{t("new")}</span>
        </LinkButton>
      </div>
    </div>
  );
}

/** Shows a running import above the list. */
function ImportLine() {
  const { t } = useTranslation("contacts");
  const last = useImport();
  if (last?.state !== "running") return null;
  return (
    <Link to="/contacts/import" search={keep} className={styles.importLine}>
      <Icon name="clock" size={18} />
      {t("import.under", { file: last.file, share: shareOf(last) })}
    </Link>
  );
}

function List({ search }: { readonly search: ContactSearch }) {
  const { t } = useTranslation("contacts");
  const found = useInfiniteQuery({
    queryKey: listKey(search),
    queryFn: ({ pageParam, signal }) => fetchPage(search, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: freshMs,
  });
  const { data, isPending, isError, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError } = found;
  const { isPlaceholderData } = found;
  const contacts = data?.pages.flatMap((page) => page.data) ?? [];

  if (isPending)
    return (
      <div role="status" aria-label={t("loading")} className={styles.frame}>
        {Array.from({ length: 8 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: all are the same.
          <Skeleton key={index} height={40} m={12} radius="md" />
        ))}
      </div>
    );
  if (isError && !data)
    return (
      <div role="alert" className={styles.empty}>
        <p>{t("loadFailed")}</p>
        <Button variant="default" onClick={() => void refetch()}>
          {t("again")}
        </Button>
      </div>
    );
  if (contacts.length === 0) return <Nothing search={search} />;
  return (
    <>
      <ContactRows
        contacts={contacts}
        isOld={isPlaceholderData}
        hasMore={hasNextPage}
        onEnd={() => {
          if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData)
            void found.fetchNextPage();
        }}
      />
      {isFetchNextPageError && (
        <NextFailed text={t("loadFailed")} again={t("again")} onAgain={() => void found.fetchNextPage()} />
      )}
    </>
  );
}

function Nothing({ search }: { readonly search: ContactSearch }) {
  const { t } = useTranslation("contacts");
  const { administrador } = useMe();
  if (isFiltered(search))
    return (
      <div role="status" className={styles.empty}>
        <p>{t("noneFound")}</p>
        <LinkButton to="/contacts" search={{}} variant="default">
          {t("filter.reset")}
        </LinkButton>
      </div>
    );
  return (
    <div className={styles.empty}>
      <Icon name="contacts" size={40} />
      <p>{t(administrador ? "noneYetAdministrator" : "noneYet")}</p>
      <div className={styles.actions}>
        {administrador && (
          <LinkButton to="/contacts/import" search={keep} variant="default">
            {t("import.open")}
          </LinkButton>
        )}
        <LinkButton to="/contacts/new" search={keep}>
          {t("new")}
        </LinkButton>
      </div>
    </div>
  );
}
