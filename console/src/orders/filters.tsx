import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { useAgents } from "../inbox/agents.ts";
import { Icon } from "../shared/icons.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { dayIn } from "../shared/time.ts";
import styles from "./board.module.css";
import type { BoardSearch } from "./board.ts";
import { useBranches } from "./choices.ts";

const searchPauseMs = 250;

/** By name, days back to its first one. */
const periods = { today: 0, week: 6, month: 29 } as const;
type Period = keyof typeof periods;

export function Filters() {
  const { t } = useTranslation("orders");
  const { zona_horaria } = useMe();
  const search: BoardSearch = useSearch({ from: "/orders" });
  const navigate = useNavigate();
  const { data: branches = [] } = useBranches();
  const { data: agents = [] } = useAgents();
  const set = (changes: { readonly [Name in keyof BoardSearch]: BoardSearch[Name] | undefined }): void =>
    void navigate({
      to: ".",
      search: (before: BoardSearch) => ({ ...before, ...changes }) as BoardSearch,
      replace: true,
    });
  const named = (Object.keys(periods) as Period[]).find(
    (name) => search.to === undefined && search.from === dayIn(zona_horaria, periods[name]),
  );
  const isRange = named === undefined && (search.from !== undefined || search.to !== undefined);
  const choosePeriod = (value: string | null): void => {
    if (value === null || value === "all") set({ from: undefined, to: undefined });
    else if (value === "range") set({ from: dayIn(zona_horaria, 6), to: dayIn(zona_horaria) });
    else set({ from: dayIn(zona_horaria, periods[value as Period]), to: undefined });
  };

  return (
    <search className={styles.filters}>
      <Search
        key={search.q === undefined ? "none" : "some"}
        q={search.q ?? ""}
        onSearch={(q) => set({ q: q || undefined })}
      />
      <Select
        aria-label={t("filter.period")}
        data={[
          { value: "all", label: t("filter.all") },
          ...Object.keys(periods).map((name) => ({ value: name, label: t(`filter.${name as Period}`) })),
          { value: "range", label: t("filter.range") },
        ]}
        value={isRange ? "range" : (named ?? "all")}
        onChange={choosePeriod}
        allowDeselect={false}
        className={styles.filter}
      />
      {isRange && (
        <>
          <TextInput
            type="date"
            aria-label={t("filter.from")}
            value={search.from ?? ""}
            onChange={({ currentTarget }) => set({ from: currentTarget.value || undefined })}
          />
          <TextInput
            type="date"
            aria-label={t("filter.to")}
            value={search.to ?? ""}
            onChange={({ currentTarget }) => set({ to: currentTarget.value || undefined })}
          />
        </>
      )}
      {branches.length > 0 && (
        <Select
          aria-label={t("filter.branch")}
          placeholder={t("filter.branch")}
          data={branches.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
          value={search.branch === undefined ? null : String(search.branch)}
          onChange={(value) => set({ branch: value === null ? undefined : Number(value) })}
          clearable
          searchable
          clearButtonProps={{ "aria-label": t("filter.clear") }}
          className={styles.filter}
        />
      )}
      {agents.length > 0 && (
        <Select
          aria-label={t("filter.agent")}
          placeholder={t("filter.agent")}
          data={agents.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
          value={search.agent === undefined ? null : String(search.agent)}
          onChange={(value) => set({ agent: value === null ? undefined : Number(value) })}
          clearable
          searchable
          clearButtonProps={{ "aria-label": t("filter.clear") }}
          className={styles.filter}
        />
      )}
      <LinkButton to="/orders/new" leftSection={<Icon name="plus" size={18} />} className={styles.make}>
        {t("newOrder")}
      </LinkButton>
    </search>
  );
}

function Search({ q, onSearch }: { readonly q: string; readonly onSearch: (q: string) => void }) {
  const { t } = useTranslation("orders");
  const [text, setText] = useState(q);
  const [wanted] = useDebouncedValue(text.trim().slice(0, 100), searchPauseMs);
  const shown = useRef(q);
  useEffect(() => {
    if (wanted === shown.current) return;
    shown.current = wanted;
    onSearch(wanted);
  }, [wanted, onSearch]);
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
