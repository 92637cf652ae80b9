import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useClock } from "../shared/use-clock.ts";
import { discard, type Outgoing, retry } from "./outbox.ts";
import { StatusMark } from "./status-mark.tsx";
import styles from "./thread.module.css";

export function OutgoingBubble({ outgoing }: { readonly outgoing: Outgoing }) {
  const { t } = useTranslation();
  const clock = useClock();
  const { key, text, isNote, at, refusal } = outgoing;
  const reason = refusal === "stale" ? t("composer.stale") : refusal;
  return (
    <article className={styles.message} data-side={isNote ? "note" : "out"}>
      <div className={styles.bubble} data-waiting={refusal === null}>
        <p className={styles.text}>{text}</p>
        <p className={styles.foot}>
          <time dateTime={at}>{clock.time(at)}</time>
          <StatusMark state={refusal === null ? "sending" : "failed"} reason={reason} />
        </p>
        {reason !== null && (
          <div className={styles.refused} role="alert">
            <p className={styles.failure}>{t("status.failedWhy", { reason })}</p>
            <Button size="compact-xs" variant="default" onClick={() => retry(key)}>
              {t("composer.again")}
            </Button>{" "}
            <Button size="compact-xs" variant="default" onClick={() => discard(key)}>
              {t("composer.discard")}
            </Button>
          </div>
        )}
      </div>
    </article>
  );
}
