import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTags } from "../inbox/tags.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./contacts.module.css";
import type { ContactSearch } from "./contacts.ts";

const searchPauseMs = 250;

/** As the select names them. */
const wishes = { accepts: false, refuses: true } as const;

export function Filters() {
  const { t } = useTranslation("contacts");
  const search: ContactSearch = useSearch({ from: "/contacts" });
  const navigate = useNavigate();
  const { data: tags = [] } = useTags();
  const set = (changes: { readonly [Name in keyof ContactSearch]: ContactSearch[Name] | undefined }): void =>
    void navigate({
      to: ".",
      search: (before: ContactSearch) => ({ ...before, ...changes }) as ContactSearch,
      replace: true,
    });
  const wish = search.opted_out === undefined ? null : search.opted_out ? "refuses" : "accepts";
  return (
    <search className={styles.filters}>
      <Search q={search.q ?? ""} onSearch={(q) => set({ q: q || undefined })} />
      {(tags.length > 0 || search.tag !== undefined) && (
        <Select
          aria-label={t("filter.tag")}
          placeholder={t("filter.tag")}
          data={tags.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
          value={search.tag === undefined ? null : String(search.tag)}
          onChange={(value) => set({ tag: value === null ? undefined : Number(value) })}
          clearable
          searchable
          limit={100}
          nothingFoundMessage={t("filter.noTag")}
          clearButtonProps={{ "aria-label": t("filter.clear") }}
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

function Search({ q, onSearch }: { readonly q: string; readonly onSearch: (q: string) => void }) {
  const { t } = useTranslation("contacts");
  const [text, setText] = useState(q);
  const [wanted] = useDebouncedValue(text.trim().slice(0, 100), searchPauseMs);
  const shown = useRef(q);
  useEffect(() => {
    if (wanted === shown.current) return;
    shown.current = wanted;
    onSearch(wanted);
  }, [wanted, onSearch]);
  useEffect(() => {
    if (q === shown.current) return;
    // The address was changed elsewhere: a link, or going back.
    shown.current = q;
    setText(q);
  }, [q]);
  return (
    <TextInput
      type="search"
      aria-label={t("search")}
      placeholder={t("search")}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<Icon name="search" size={18} />}
      className={styles.search}
    />
  );
}
