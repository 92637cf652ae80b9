import "./texts.ts";
import { Button, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Failure, Loading, More, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import { choicesOf } from "../settings/records.ts";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { DayField } from "../shared/day-field.tsx";
import styles from "./audit.module.css";
import { AuditEntry } from "./audit-entry.tsx";
import { type AuditSearch, type Resource, resources } from "./audit-search.ts";
import { useAllUsers } from "./people.ts";
import { useShowAudit } from "./use-show-audit.ts";

const useAudit = (search: AuditSearch) =>
  useInfiniteQuery({
    queryKey: ["admin", "audit", search],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET("/admin/audit", { params: { query: { ...search, ...(pageParam && { cursor: pageParam }) } }, signal }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // New entries cause no live event, so the audit is read again each time it is opened.
    staleTime: 0,
  });

export function AuditScreen() {
  const { t } = useTranslation("people");
  const title = usePlaceTitle("audit");
  const search = useSearch({ strict: false }) as AuditSearch;
  const list = useAudit(search);
  const { data, isPending, error, refetch } = list;
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Page place="audit">
      <Filters search={search} />
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && entries.length === 0 && <Nothing text={t("audit.none")} />}
      {entries.length > 0 && (
        <ul aria-label={title} className={settings.list}>
          {entries.map((entry) => (
            <AuditEntry key={entry.id} entry={entry} search={search} />
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
    </Page>
  );
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const { t } = useTranslation("people");
  const show = useShowAudit();
  const users = useAllUsers();
  const { resource, record, user, from = "", to = "" } = search;
  return (
    <div className={styles.filters}>
      <Select
        clearable
        searchable
        label={t("audit.what")}
        placeholder={t("audit.every")}
        data={resources.map((value) => ({ value, label: t(`audit.resources.${value}`) }))}
        value={resource ?? null}
        onChange={(value) => show({ ...search, resource: (value as Resource | null) ?? undefined, record: undefined })}
      />
      <Select
        clearable
        searchable
        label={t("audit.who")}
        placeholder={t("audit.everyone")}
        data={choicesOf(users.data)}
        value={user ? String(user) : null}
        onChange={(value) => show({ ...search, user: value === null ? undefined : Number(value) })}
      />
      <DayField label={t("audit.from")} day={from} onDay={(day) => show({ ...search, from: day || undefined })} />
      <DayField label={t("audit.to")} day={to} onDay={(day) => show({ ...search, to: day || undefined })} />
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" onClick={() => show({})}>
          {record ? `${t("audit.record", { id: record })} · ` : ""}
          {t("audit.clear")}
        </Button>
      )}
    </div>
  );
}
