import { useComputedColorScheme } from "@mantine/core";
import { PieChart } from "echarts/charts";
import { TooltipComponent } from "echarts/components";
import { type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import styles from "./campaigns.module.css";
import { type Campaign, type RecipientState, recipientStates } from "./campaigns.ts";

use([PieChart, TooltipComponent, CanvasRenderer]);

/** The same colors as in campaigns.module.css. Only `queued` has no color there. */
const colors: Readonly<Record<RecipientState, string>> = {
  queued: "#c9d1d6",
  sending: "#b7c0c7",
  sent: "#7dd3c7",
  delivered: "#14a394",
  read: "#0b6bcb",
  unknown: "#d97706",
  failed: "#d1372a",
  skipped: "#7b858d",
  cancelled: "#7b858d",
};
const waitingInDark = "#3d4a52";

const shareFormat = (language: string) =>
  // Shares are rounded down, so that 100 % means all recipients.
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0, roundingMode: "floor" });

/** A chart of the recipients by state. The numbers are next to it as text. */
export default function CountsChart({ campaign }: { readonly campaign: Campaign }) {
  const { t, i18n } = useTranslation("campaigns");
  const scheme = useComputedColorScheme();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const { counts, total } = campaign;

  useEffect(() => {
    if (!place.current) return;
    const drawn = init(place.current, null, { renderer: "canvas" });
    chart.current = drawn;
    return () => drawn.dispose();
  }, []);

  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim();
    const surface = style.getPropertyValue("--surface").trim();
    const percent = shareFormat(i18n.language);
    const shown = recipientStates.filter((state) => counts[state] > 0);
    chart.current?.setOption({
      animation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      animationDuration: 400,
      tooltip: {
        trigger: "item",
        confine: true,
        backgroundColor: surface,
        borderColor: style.getPropertyValue("--line").trim(),
        textStyle: { color: ink, fontSize: 13, fontFamily: getComputedStyle(document.body).fontFamily },
        formatter: ({ name, value }: { name: string; value: number }) =>
          `${name}: ${value.toLocaleString(i18n.language)} (${percent.format(value / Math.max(1, total))})`,
      },
      series: [
        {
          type: "pie",
          radius: ["62%", "92%"],
          // A single part is drawn as a closed ring, without a gap.
          padAngle: shown.length > 1 ? 1 : 0,
          itemStyle: { borderRadius: shown.length > 1 ? 4 : 0 },
          label: { show: false },
          emphasis: { scaleSize: 4 },
          data: shown.map((state) => ({
            name: t(`recipient.${state}`),
            value: counts[state],
            itemStyle: { color: state === "queued" && scheme === "dark" ? waitingInDark : colors[state] },
          })),
        },
      ],
    });
  }, [counts, total, scheme, t, i18n.language]);

  return (
    <div className={styles.ring}>
      <div ref={place} className={styles.chart} role="img" aria-label={t("chart")} />
      <p className={styles.middle}>
        <strong>{shareFormat(i18n.language).format((counts.delivered + counts.read) / Math.max(1, total))}</strong>
        {t("arrived")}
      </p>
    </div>
  );
}
