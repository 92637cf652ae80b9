import "./texts.ts";
import { Button } from "@mantine/core";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CsvActions } from "../settings/csv-actions.tsx";
import { Failure, Loading, More, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import { choicesOf, useAllBranches } from "../settings/records.ts";
import { SearchField } from "../settings/search-field.tsx";
import settings from "../settings/settings.module.css";
import { useMoney } from "../shared/money.ts";
import { shownPhone } from "../shared/phone.ts";
import styles from "./catalog.module.css";
import type { CatalogSearch } from "./catalog-search.ts";
import { RecordPanel } from "./record-panel.tsx";
import { type CatalogRecord, recordsChanged, useRecords } from "./records.ts";
import { type CatalogPlace, couponTypes, type Field, resourceOf, resources } from "./resources.ts";

function usePlace(): CatalogPlace {
  const { pathname } = useLocation();
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "";
  return Object.hasOwn(resources, last) ? (last as CatalogPlace) : "tags";
}

export function CatalogScreen() {
  const place = usePlace();
  // The key resets the search and other state for each resource.
  return <Records key={place} place={place} />;
}

function Records({ place }: { readonly place: CatalogPlace }) {
  const { t } = useTranslation("catalog");
  const resource = resourceOf(place);
  const { q = "", record } = useSearch({ strict: false }) as CatalogSearch;
  const navigate = useNavigate();
  const go = (search: CatalogSearch, replace = false): void =>
    void navigate({ to: `/settings/${place}`, search, replace });
  const search = q === "" ? {} : { q };
  const list = useRecords(place, q);
  const { data, isPending, error, refetch } = list;
  const records = data?.pages.flatMap((page) => page.data) ?? [];
  const isFull = resource.isSingle === true && (data === undefined || records.length > 0);
  const add = !isFull && <Button onClick={() => go({ ...search, record: "new" })}>{t(`add.${place}`)}</Button>;
  return (
    <Page place={place} action={add}>
      {!resource.isSingle && (
        <div className={settings.filters}>
          <SearchField label={t("search")} q={q} onChange={(text) => go(text === "" ? {} : { q: text }, true)} />
          {resource.hasCsv && (
            <CsvActions
              place={place}
              columns={t(`columns.${place as "tags"}`)}
              onImported={() => recordsChanged(place)}
            />
          )}
        </div>
      )}
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && records.length === 0 && <Nothing text={q ? t("noneFound", { q }) : t(`none.${place}`)} />}
      {records.length > 0 && <List place={place} records={records} onOpen={(id) => go({ ...search, record: id })} />}
      <More list={list} text={t("more")} />
      {record !== undefined && (
        <RecordPanel key={record} place={place} id={record} onClose={() => go(search, record === "new")} />
      )}
    </Page>
  );
}

interface ListProps {
  readonly place: CatalogPlace;
  readonly records: readonly CatalogRecord[];
  readonly onOpen: (id: number) => void;
}

function List({ place, records, onOpen }: ListProps) {
  const { t } = useTranslation("catalog");
  const title = usePlaceTitle(place);
  const { title: titleField, fields } = resourceOf(place);
  const shownOf = useShown(fields.some(({ kind }) => kind === "branch"));
  const price = fields.find(({ kind }) => kind === "price");
  const details = fields.filter(({ name, kind }) => name !== titleField && kind !== "price" && kind !== "secret");
  return (
    <ul aria-label={title} className={settings.list}>
      {records.map((record) => {
        const detail = details.flatMap((field) => shownOf(field, record) || []).join(" · ");
        return (
          <li key={record.id} className={`${settings.row} ${styles.record}`}>
            <div className={settings.what}>
              <button type="button" className={styles.open} onClick={() => onOpen(record.id)}>
                {String(record[titleField] ?? t("noDefaultAccount"))}
              </button>
              {detail && <p className={`${settings.detail} ${styles.short}`}>{detail}</p>}
            </div>
            {price && <span className={styles.price}>{shownOf(price, record)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Formats a field for the list; empty for a missing value. */
function useShown(hasBranches: boolean): (field: Field, record: CatalogRecord) => string {
  const { t } = useTranslation("catalog");
  const money = useMoney();
  const { data } = useAllBranches(hasBranches);
  const branches = new Map(choicesOf(data).map(({ value, label }) => [value, label]));
  return ({ name, kind }, record) => {
    const value = record[name] ?? null;
    if (Array.isArray(value)) return value.length > 0 ? t("articles", { count: value.length }) : t("everyArticle");
    if (value === null) return "";
    if (kind === "price") return money(String(value));
    if (kind === "branch") return branches.get(String(value)) ?? "";
    if (name === "telefono") return shownPhone(String(value));
    if (kind === "file") return t("withFile");
    if (kind === "coupon") return couponTypes.includes(value) ? t("fields.type") : "";
    return String(value);
  };
}
