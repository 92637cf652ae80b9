import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { type CampaignSearch, campaignStates } from "./campaign-search.ts";
import styles from "./campaigns.module.css";

const searchPauseMs = 250;

interface FiltersProps {
  readonly search: CampaignSearch;
  readonly onChange: (search: CampaignSearch) => void;
}

export function CampaignFilters({ search, onChange }: FiltersProps) {
  const { t } = useTranslation("campaigns");
  const { q = "", progress } = search;
  const [text, setText] = useState(q);
  const [typed] = useDebouncedValue(text.trim(), searchPauseMs);
  const told = useRef(q);
  // Where the address changes by itself, as by the browser's way back.
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setText(q);
  }, [q]);
  useEffect(() => {
    if (typed === told.current || typed !== text.trim()) return;
    told.current = typed;
    onChange({ ...(progress && { progress }), ...(typed && { q: typed }) });
  }, [typed, text, progress, onChange]);
  return (
    <search className={styles.filters}>
      <TextInput
        type="search"
        aria-label={t("filter.search")}
        placeholder={t("filter.search")}
        maxLength={200}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        leftSection={<Icon name="search" size={18} />}
      />
      <Select
        aria-label={t("filter.state")}
        data={[
          { value: "", label: t("filter.all") },
          ...campaignStates.map((each) => ({ value: each, label: t(`state.${each}`) })),
        ]}
        value={progress ?? ""}
        allowDeselect={false}
        onChange={(chosen) => {
          const kept = campaignStates.find((each) => each === chosen);
          onChange({ ...(kept && { progress: kept }), ...(text.trim() && { q: text.trim() }) });
        }}
      />
    </search>
  );
}
