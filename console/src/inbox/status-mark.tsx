import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon, type IconName } from "../shared/icons.tsx";
import styles from "./thread.module.css";

const icons: Readonly<Record<Message["estado"], IconName>> = {
  received: "check",
  queued: "clock",
  sending: "clock",
  unknown: "clock",
  sent: "check",
  failed: "alert",
  delivered: "checks",
  read: "checks",
};

interface StatusProps {
  readonly state: Message["estado"];
  readonly reason: string | null;
}

export function StatusMark({ state, reason }: StatusProps) {
  const { t } = useTranslation();
  const said = state === "failed" && reason ? t("status.failedWhy", { reason }) : t(`status.${state}`);
  return (
    <span className={styles.status} data-state={state} role="img" aria-label={said} title={said}>
      <Icon name={icons[state]} size={16} />
    </span>
  );
}
