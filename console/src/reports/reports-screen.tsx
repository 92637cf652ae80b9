import "./texts.ts";
import { Alert, Button, Select, Skeleton, Tabs, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { showInRow } from "../shared/show-in-row.ts";
import { AdCampaigns } from "./ad-campaigns.tsx";
import { AdsTab, AgentsTab, BusinessesTab, TagsTab } from "./breakdowns.tsx";
import { Export } from "./export.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import styles from "./reports.module.css";
import { fetchReports, type Report, type Reports, reportKey, type View, viewOf } from "./reports.ts";
import { type Tab, tabs } from "./search.ts";
import { Share } from "./share.tsx";
import { Summary } from "./summary.tsx";
import { useDays, useReportSearch } from "./use-search.ts";

/** Older figures are read again when the user opens the reports again. */
const freshMs = 60_000;

export function ReportsScreen() {
  const { t } = useTranslation("reports");
  const { search } = useReportSearch();
  const days = useDays();
  const { data, isPending, isError, error, isFetching, refetch } = useQuery({
    queryKey: reportKey(days),
    queryFn: ({ signal }) => fetchReports(days, signal),
    placeholderData: keepPreviousData,
    staleTime: freshMs,
  });
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <Title order={1} size="h2">
          {t("title")}
        </Title>
        <div className={styles.actions}>
          <Share reports={data?.data ?? []} />
          <Export reports={data?.data ?? []} />
        </div>
      </div>
      <div className={styles.filters}>
        <PeriodPicker />
        {data && data.data.length > 1 && <BusinessPicker reports={data.data} />}
      </div>
      {isError && (
        <Alert color="red" variant="outline" role="alert">
          <Text mb="xs">{error instanceof Refused && error.status < 500 ? error.message : t("failed")}</Text>
          <Button variant="default" size="xs" onClick={() => void refetch()}>
            {t("again")}
          </Button>
        </Alert>
      )}
      {isPending && <Waiting />}
      {data && (
        <div className={styles.content} aria-busy={isFetching}>
          <Content reports={data} view={viewOf(data.data, search.business)} />
        </div>
      )}
    </div>
  );
}

function BusinessPicker({ reports }: { readonly reports: readonly Report[] }) {
  const { t } = useTranslation("reports");
  const { search, set } = useReportSearch();
  return (
    <Select
      aria-label={t("business")}
      data={[
        { value: "all", label: t("allBusinesses") },
        ...reports.map(({ data }) => ({ value: String(data.id), label: data.nombre })),
      ]}
      value={reports.some(({ data }) => data.id === search.business) ? String(search.business) : "all"}
      onChange={(value) => set({ business: value === null || value === "all" ? undefined : Number(value) })}
      allowDeselect={false}
      leftSection={<Icon name="filter" size={16} />}
      className={styles.filter}
    />
  );
}

function Content({ reports, view }: { readonly reports: Reports; readonly view: View }) {
  const { t } = useTranslation("reports");
  const { search, set } = useReportSearch();
  const shown = tabs.filter((tab) => tab !== "businesses" || reports.data.length > 1);
  const list = useRef<HTMLDivElement>(null);
  const tab = shown.find((each) => each === search.by) ?? "summary";
  // On a phone not all tabs fit, so the current tab is scrolled into view.
  useEffect(() => showInRow(list.current, list.current?.querySelector(`[data-tab="${tab}"]`)), [tab]);
  return (
    <>
      <KeyFigures view={view} before={reports.anterior} />
      <Tabs
        value={tab}
        onChange={(value) => set({ by: value as Tab, sort: undefined, campaign: undefined })}
        keepMounted={false}
      >
        <Tabs.List ref={list} className={styles.tabs}>
          {shown.map((each) => (
            <Tabs.Tab key={each} value={each} data-tab={each}>
              {t(`tab.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="md">
          <TabContent tab={tab} reports={reports} view={view} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function TabContent({ tab, reports, view }: { readonly tab: Tab; readonly reports: Reports; readonly view: View }) {
  switch (tab) {
    case "summary":
      return <Summary view={view} unit={reports.unidad} />;
    case "businesses":
      return <BusinessesTab reports={reports.data} />;
    case "agents":
      return <AgentsTab view={view} />;
    case "tags":
      return <TagsTab view={view} />;
    case "ads":
      return <AdsTab view={view} />;
    case "campaigns":
      return <AdCampaigns isGroup={reports.data.length > 1} />;
  }
}

function Waiting() {
  return (
    <>
      <div className={styles.tiles}>
        {[1, 2, 3, 4, 5, 6].map((place) => (
          <Skeleton key={place} height={104} radius="md" />
        ))}
      </div>
      <Skeleton height={40} radius="md" />
      <Skeleton height={340} radius="md" />
    </>
  );
}
