import { Select } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { useAgents } from "../inbox/agents.ts";
import { DayField } from "../shared/day-field.tsx";
import { Icon } from "../shared/icons.tsx";
import { IdFilter } from "../shared/id-filter.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { SearchBox } from "../shared/search-box.tsx";
import { dayIn } from "../shared/time.ts";
import { useSetSearch } from "../shared/use-set-search.ts";
import styles from "./board.module.css";
import type { BoardSearch } from "./board.ts";
import { useBranches } from "./choices.ts";

/** The number of days from the first day of each period until today. */
const periods = { today: 0, week: 6, month: 29 } as const;
type Period = keyof typeof periods;

export function Filters() {
  const { t } = useTranslation("orders");
  const { zona_horaria } = useMe();
  const search: BoardSearch = useSearch({ from: "/orders" });
  const { data: branches = [] } = useBranches();
  const { data: agents = [] } = useAgents();
  const set = useSetSearch<BoardSearch>();
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
      <SearchBox
        label={t("search")}
        q={search.q ?? ""}
        onSearch={(q) => set({ q: q || undefined })}
        className={styles.search}
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
        <div className={styles.days}>
          <DayField
            aria-label={t("filter.from")}
            day={search.from ?? ""}
            onDay={(from) => set({ from: from || undefined })}
          />
          <DayField aria-label={t("filter.to")} day={search.to ?? ""} onDay={(to) => set({ to: to || undefined })} />
        </div>
      )}
      {branches.length > 0 && (
        <IdFilter
          label={t("filter.branch")}
          clearLabel={t("filter.clear")}
          records={branches}
          chosen={search.branch}
          onChange={(branch) => set({ branch })}
          className={styles.filter}
        />
      )}
      {agents.length > 0 && (
        <IdFilter
          label={t("filter.agent")}
          clearLabel={t("filter.clear")}
          records={agents}
          chosen={search.agent}
          onChange={(agent) => set({ agent })}
          className={styles.filter}
        />
      )}
      <LinkButton to="/orders/new" leftSection={<Icon name="plus" size={18} />} className={styles.make}>
        {t("newOrder")}
      </LinkButton>
    </search>
  );
}
