import "./texts.ts";
import { Button, Select, Skeleton, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, Loading, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import { choicesOf } from "../settings/records.ts";
import settings from "../settings/settings.module.css";
import { answered, api, type paths } from "../shared/api.ts";
import { said } from "../shared/search-params.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./audit.module.css";
import { type AuditSearch, type Resource, resources } from "./audit-search.ts";
import { useAllUsers } from "./people.ts";

type Entry = paths["/admin/audit"]["get"]["responses"][200]["content"]["application/json"]["data"][number];

const useAudit = (search: AuditSearch) =>
  useInfiniteQuery({
    queryKey: ["admin", "audit", search],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET("/admin/audit", { params: { query: { ...search, ...(pageParam && { cursor: pageParam }) } }, signal }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // No event tells of an entry.
    staleTime: 0,
  });

export function AuditScreen() {
  const { t } = useTranslation("people");
  const title = usePlaceTitle("audit");
  const search = useSearch({ strict: false }) as AuditSearch;
  const { data, isPending, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useAudit(search);
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
            <Row key={entry.id} entry={entry} search={search} />
          ))}
        </ul>
      )}
      {isFetchingNextPage && <Skeleton height={64} radius="md" />}
      {hasNextPage && (
        <Button variant="default" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
    </Page>
  );
}

function useGo() {
  const navigate = useNavigate();
  return (search: { readonly [Key in keyof AuditSearch]: AuditSearch[Key] | undefined }) => {
    void navigate({ to: "/settings/audit", search: said<AuditSearch>(search), replace: true });
  };
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const { t } = useTranslation("people");
  const go = useGo();
  const users = useAllUsers();
  const { resource, record, user, from = "", to = "" } = search;
  return (
    <div className={settings.filters}>
      <Select
        clearable
        searchable
        label={t("audit.what")}
        placeholder={t("audit.every")}
        data={resources.map((value) => ({ value, label: t(`audit.resources.${value}`) }))}
        value={resource ?? null}
        onChange={(value) => go({ ...search, resource: (value as Resource | null) ?? undefined, record: undefined })}
      />
      <Select
        clearable
        searchable
        label={t("audit.who")}
        placeholder={t("audit.everyone")}
        data={choicesOf(users.data)}
        value={user ? String(user) : null}
        onChange={(value) => go({ ...search, user: value === null ? undefined : Number(value) })}
      />
      <TextInput
        type="date"
        label={t("audit.from")}
        value={from}
        onChange={({ currentTarget: { value } }) => go({ ...search, from: value || undefined })}
      />
      <TextInput
        type="date"
        label={t("audit.to")}
        value={to}
        onChange={({ currentTarget: { value } }) => go({ ...search, to: value || undefined })}
      />
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" onClick={() => go({})}>
          {record ? `${t("audit.record", { id: record })} · ` : ""}
          {t("audit.clear")}
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly search: AuditSearch;
}

function Row({ entry, search }: RowProps) {
  const { t } = useTranslation("people");
  const clock = useClock();
  const go = useGo();
  const [isOpen, setOpen] = useState(false);
  const { id, at, actor, ip, resource, record_id, change, before, after } = entry;
  const known = resources.find((each) => each === resource);
  const what = known ? t(`audit.resources.${known}`) : resource;
  // The audit lists an accepted invitation as removed.
  const isAccepted = resource === "user-invitations" && change === "removed";
  const subject = useSubject(entry, what);
  return (
    <li className={settings.row}>
      <div className={settings.what}>
        <p className={settings.name}>
          {t("audit.line", {
            who: useActor(actor),
            change: t(`audit.${isAccepted ? "accepted" : change}`),
            what: subject,
          })}
        </p>
        <p className={settings.detail}>
          {clock.moment(at)} · {ip}
        </p>
      </div>
      <div className={settings.actions}>
        {known && search.record !== record_id && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => go({ ...search, resource: known, record: record_id })}
          >
            {t("audit.onlyThis")}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-controls={`entry-${id}`}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "audit.hide" : "audit.details")}
        </Button>
      </div>
      {isOpen && (
        <div id={`entry-${id}`} className={styles.difference}>
          <Difference before={before} after={after} />
        </div>
      )}
    </li>
  );
}

/** Businesses have one such record, which needs no name. */
const single: readonly string[] = ["business", "flags"];

/** The name of the changed record. For sessions, invitations and passwords it is the current name of their user. */
function useSubject({ resource, record_id, before, after }: Entry, what: string): string {
  const { data: users } = useAllUsers();
  const user = /^users?\b/.test(resource) && users?.find(({ id }) => id === record_id)?.nombre;
  const name = nameIn(after) ?? nameIn(before) ?? (user || undefined);
  if (name) return `${what} «${name}»`;
  return single.includes(resource) ? what : `${what} ${record_id}`;
}

function useActor({ type, id, nombre }: Entry["actor"]): string {
  const { t } = useTranslation("people");
  if (type === "system") return t("audit.system");
  if (type === "key") return t("audit.key", { name: nombre ?? id });
  return nombre ?? t("audit.user", { id });
}

type Kept = Readonly<Record<string, unknown>> | null;

function nameIn(kept: Kept): string | undefined {
  const name = kept?.nombre ?? kept?.name ?? kept?.label ?? kept?.url;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Only the fields that differ, each with both values. */
function Difference({ before, after }: { readonly before: Kept; readonly after: Kept }) {
  const { t } = useTranslation("people");
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => name !== "version" && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  if (names.length === 0) return <p className={settings.detail}>{t("audit.noDetails")}</p>;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("audit.field")}</th>
          <th scope="col">{t("audit.before")}</th>
          <th scope="col">{t("audit.after")}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className={styles.before}>
              <Value value={before?.[name]} />
            </td>
            <td className={styles.after}>
              <Value value={after?.[name]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const { t } = useTranslation("people");
  if (value === null || value === undefined || value === "") return t("audit.nothing");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return value.join(", ") || t("audit.nothing");
  return typeof value === "object" ? <code>{JSON.stringify(value, null, 1)}</code> : String(value);
}
