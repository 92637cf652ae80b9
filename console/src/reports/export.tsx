import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { downloadCsv } from "../shared/download.ts";
import { Icon } from "../shared/icons.tsx";
import type { Report } from "./reports.ts";
import type { tabs } from "./search.ts";
import { useDays, useReportSearch } from "./use-search.ts";

/** For each tab: what a row of the exported file describes. */
const rowsOf = {
  summary: "business",
  businesses: "business",
  agents: "agent",
  tags: "tag",
  ads: "ad",
  campaigns: "ad",
} as const satisfies Readonly<Record<(typeof tabs)[number], string>>;

export function Export({ reports }: { readonly reports: readonly Report[] }) {
  const { t } = useTranslation("reports");
  const { search } = useReportSearch();
  const days = useDays();
  const rows = rowsOf[search.by ?? "summary"];
  const download = useMutation({
    mutationFn: () => {
      const query = new URLSearchParams({ startDate: days.from, endDate: days.to, rows });
      if (reports.some(({ data }) => data.id === search.business))
        query.set("includeBusinesses", String(search.business));
      return downloadCsv(`/reports?${query}`, `${t("file")}-${t(`rows.${rows}`)}-${days.from}-${days.to}.csv`);
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={18} />}
      loading={download.isPending}
      disabled={reports.length === 0}
      onClick={() => download.mutate()}
    >
      {t(download.isError ? "exportAgain" : "export")}
    </Button>
  );
}
