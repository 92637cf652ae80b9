import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { LinkButton } from "../shared/link-button.tsx";
import { Breakdown, type Counted } from "./breakdown.tsx";
import { useFormats } from "./formats.ts";
import styles from "./reports.module.css";
import { type Ad, type Agent, currencyOf, type Report, type View } from "./reports.ts";

/** A row with the report of its business. */
type OfBusiness<Row> = Row & { readonly report: Report };

const ofEach = <Row extends object>(
  reports: readonly Report[],
  rows: (report: Report) => readonly Row[],
): OfBusiness<Row>[] => reports.flatMap((report) => rows(report).map((row) => ({ ...row, report })));

export function BusinessesTab({ reports }: { readonly reports: readonly Report[] }) {
  const { t } = useTranslation("reports");
  const count = (id: keyof Report & ("conversaciones" | "salesCount" | "quotationsCount")): Counted<Report> => ({
    id,
    kind: "count",
    value: (report) => report[id],
  });
  return (
    <Breakdown
      id="businesses"
      rows={reports}
      nameOf={({ data }) => data.nombre}
      keyOf={({ data }) => data.id}
      currencyOf={currencyOf}
      first="salesAmount"
      columns={[
        { id: "salesAmount", kind: "money", value: ({ salesAmount }) => salesAmount },
        count("salesCount"),
        { id: "quotationsAmount", kind: "money", value: ({ quotationsAmount }) => quotationsAmount },
        count("quotationsCount"),
        count("conversaciones"),
        { id: "salesConversionRate", kind: "percent", value: ({ salesConversionRate }) => salesConversionRate },
        { id: "averageTemperature", kind: "count", value: ({ averageTemperature }) => averageTemperature },
      ]}
      empty={t("empty.period")}
    />
  );
}

export function AgentsTab({ view }: { readonly view: View }) {
  const { t } = useTranslation("reports");
  type Row = OfBusiness<Agent>;
  const count = (
    id: keyof Agent &
      ("ventas" | "cotizaciones" | "totalTickets" | "completados" | "cancelados" | "pendientes" | "proceso"),
  ): Counted<Row> => ({ id, kind: "count", value: (row) => row[id] });
  return (
    <Breakdown
      id="agents"
      rows={ofEach(view.reports, ({ agentes }) => agentes)}
      nameOf={({ agente }) => agente}
      keyOf={({ report, agente }, index) => `${report.data.id} ${agente} ${index}`}
      currencyOf={({ report }) => currencyOf(report)}
      businessOf={view.reports.length > 1 ? ({ report }) => report.data.nombre : undefined}
      first="ventasAmount"
      columns={[
        { id: "ventasAmount", kind: "money", value: ({ ventasAmount }) => ventasAmount },
        count("ventas"),
        { id: "cotizacionesAmount", kind: "money", value: ({ cotizacionesAmount }) => cotizacionesAmount },
        count("cotizaciones"),
        count("totalTickets"),
        count("completados"),
        count("proceso"),
        count("pendientes"),
        count("cancelados"),
      ]}
      empty={t("empty.agents")}
    />
  );
}

export function TagsTab({ view }: { readonly view: View }) {
  const { t } = useTranslation("reports");
  return (
    <Breakdown
      id="tags"
      rows={ofEach(view.reports, ({ tags }) => tags)}
      nameOf={({ name }) => name}
      keyOf={({ report, name }) => `${report.data.id} ${name}`}
      currencyOf={({ report }) => currencyOf(report)}
      businessOf={view.reports.length > 1 ? ({ report }) => report.data.nombre : undefined}
      first="count"
      columns={[{ id: "count", kind: "count", value: ({ count }) => count }]}
      empty={t("empty.tags")}
    />
  );
}

export function AdsTab({ view }: { readonly view: View }) {
  const { t } = useTranslation("reports");
  const me = useMe();
  const formats = useFormats();
  if (view.reports.every(({ adsBreakdown }) => adsBreakdown === undefined)) {
    return (
      <div className={styles.empty}>
        <Text fw={600}>{t("empty.adAccount")}</Text>
        <Text c="dimmed">{t(me.administrador ? "empty.adAccountAdmin" : "empty.adAccountOther")}</Text>
        {me.administrador && <LinkButton to="/settings">{t("empty.settings")}</LinkButton>}
      </div>
    );
  }
  return (
    <>
      {view.reports.some(({ plataforma_sin_respuesta }) => plataforma_sin_respuesta) && (
        <p role="status" className={styles.note}>
          {t("ads.silent")}
        </p>
      )}
      <Breakdown
        id="ads"
        rows={ofEach(view.reports, ({ adsBreakdown = [] }) => adsBreakdown)}
        nameOf={nameOfAd}
        shownOf={(ad) => <AdName ad={ad} />}
        keyOf={({ report, adId }) => `${report.data.id} ${adId}`}
        currencyOf={({ report }) => currencyOf(report)}
        businessOf={view.reports.length > 1 ? ({ report }) => report.data.nombre : undefined}
        first="salesAmount"
        columns={[
          { id: "salesAmount", kind: "money", value: ({ salesAmount }) => salesAmount },
          { id: "sales", kind: "count", value: ({ sales }) => sales },
          {
            id: "spend",
            kind: "count",
            value: ({ spend }) => spend,
            shown: ({ spend, currency }) => formats.money(spend, currency),
          },
          {
            id: "costPerSale",
            kind: "count",
            value: ({ spend, sales }) => (spend === null || sales === 0 ? null : spend / sales),
            shown: ({ spend, sales, currency }) =>
              formats.money(spend === null || sales === 0 ? null : spend / sales, currency),
          },
          { id: "quotationsAmount", kind: "money", value: ({ quotationsAmount }) => quotationsAmount },
          { id: "quotations", kind: "count", value: ({ quotations }) => quotations },
        ]}
        empty={t("empty.ads")}
      />
    </>
  );
}

const nameOfAd = ({ name, adId }: Ad): string => name ?? adId;

/** The ad's picture is left out, since the browser would load it from another host. */
function AdName({ ad }: { readonly ad: Ad }) {
  return (
    <>
      {nameOfAd(ad)}
      {ad.name !== null && <span className={styles.small}>{ad.adId}</span>}
    </>
  );
}
