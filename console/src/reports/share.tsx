import { Button, Menu, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Icon } from "../shared/icons.tsx";
import type { Days } from "./periods.ts";
import type { Report } from "./reports.ts";
import type { ReportSearch } from "./search.ts";
import { useDays, useReportSearch } from "./use-search.ts";

/** A link to this view for colleagues. It has fixed days, since a preset such as “today” means other days later. */
function useLink({ period: _, from: __, to: ___, ...search }: ReportSearch, days: Days): string {
  // `stringifySearch` quotes the ids of the ad platform. Without quotes, the router would read the ids as numbers and
  // lose their last digits.
  const { stringifySearch } = useRouter().options;
  return `${location.origin}/console/reports${stringifySearch({ ...search, ...days })}`;
}

export function Share({ reports }: { readonly reports: readonly Report[] }) {
  const { t } = useTranslation("reports");
  const { id } = useMe().empresa;
  const { search } = useReportSearch();
  const days = useDays();
  const link = useLink(search, days);
  const clipboard = useClipboard({ timeout: 3_000 });
  const page = new URLSearchParams({ startDate: days.from, endDate: days.to, own: "true" });
  if (reports.some(({ data }) => data.id === search.business)) page.set("includeBusinesses", String(search.business));
  const address = `/reports/${id}.html?${page}`;
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={280} withinPortal>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name={clipboard.copied ? "check" : "link"} size={18} />}>
            {t(clipboard.copied ? "share.copied" : "share.label")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="copy" size={18} />} onClick={() => clipboard.copy(link)}>
            {t("share.view")}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="link" size={18} />}
            onClick={() => clipboard.copy(`${location.origin}${address}`)}
          >
            {t("share.report")}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={address}
            target="_blank"
            rel="noopener"
            leftSection={<Icon name="print" size={18} />}
          >
            {t("share.print")}
          </Menu.Item>
          <Menu.Label>{t("share.note")}</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      <VisuallyHidden role="status">{clipboard.copied && t("share.copied")}</VisuallyHidden>
    </>
  );
}
