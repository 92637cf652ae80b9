import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SearchBox } from "../shared/search-box.tsx";
import { oneOf } from "../shared/search-params.ts";
import { useSetSearch } from "../shared/use-set-search.ts";
import { type CampaignSearch, campaignStates } from "./campaign-search.ts";
import styles from "./campaigns.module.css";

export function CampaignFilters({ search: { q = "", progress } }: { readonly search: CampaignSearch }) {
  const { t } = useTranslation("campaigns");
  const set = useSetSearch<CampaignSearch>();
  return (
    <search className={styles.filters}>
      <SearchBox
        label={t("filter.search")}
        q={q}
        mostCharacters={200}
        onSearch={(wanted) => set({ q: wanted || undefined })}
      />
      <Select
        aria-label={t("filter.state")}
        data={[
          { value: "", label: t("filter.all") },
          ...campaignStates.map((each) => ({ value: each, label: t(`state.${each}`) })),
        ]}
        value={progress ?? ""}
        allowDeselect={false}
        onChange={(chosen) => set({ progress: oneOf(campaignStates, chosen) })}
      />
    </search>
  );
}
