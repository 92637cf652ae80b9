import { Select } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useTags } from "../inbox/tags.ts";
import { IdFilter } from "../shared/id-filter.tsx";
import { SearchBox } from "../shared/search-box.tsx";
import { useSetSearch } from "../shared/use-set-search.ts";
import styles from "./contacts.module.css";
import type { ContactSearch } from "./contacts.ts";

/** The options of the select, with their values of `opted_out`. */
const wishes = { accepts: false, refuses: true } as const;

export function Filters() {
  const { t } = useTranslation("contacts");
  const search: ContactSearch = useSearch({ from: "/contacts" });
  const { data: tags = [] } = useTags();
  const set = useSetSearch<ContactSearch>();
  const wish = search.opted_out === undefined ? null : search.opted_out ? "refuses" : "accepts";
  return (
    <search className={styles.filters}>
      <SearchBox
        label={t("search")}
        q={search.q ?? ""}
        onSearch={(q) => set({ q: q || undefined })}
        className={styles.search}
      />
      {(tags.length > 0 || search.tag !== undefined) && (
        <IdFilter
          label={t("filter.tag")}
          clearLabel={t("filter.clear")}
          records={tags}
          chosen={search.tag}
          onChange={(tag) => set({ tag })}
          noneFound={t("filter.noTag")}
          className={styles.filter}
        />
      )}
      <Select
        aria-label={t("filter.wish")}
        placeholder={t("filter.wish")}
        data={Object.keys(wishes).map((value) => ({ value, label: t(`filter.${value as keyof typeof wishes}`) }))}
        value={wish}
        onChange={(value) => set({ opted_out: value === null ? undefined : wishes[value as keyof typeof wishes] })}
        clearable
        clearButtonProps={{ "aria-label": t("filter.clear") }}
        className={styles.filter}
      />
    </search>
  );
}
