import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConnection } from "../live/connection.ts";
import { answered, api } from "../shared/api.ts";
import styles from "./state-line.module.css";

const versionEveryMs = 5 * 60_000;

/** The console's build when this page was opened; undefined until the first answer. */
let opened: string | null | undefined;

async function isOutdated(): Promise<boolean> {
  const { console: build } = await answered(api.GET("/version"));
  if (opened === undefined) opened = build;
  return build !== opened;
}

/** Empty unless the connection was interrupted or the console has a newer version. */
export function StateLine() {
  const { t } = useTranslation();
  const connection = useConnection();
  const version = useQuery({ queryKey: ["version"], queryFn: isOutdated, refetchInterval: versionEveryMs });
  return (
    <div role="status" className={styles.line}>
      {connection === "reconnecting" && <p className={styles.trouble}>{t("live.reconnecting")}</p>}
      {connection === "catching-up" && <p className={styles.behind}>{t("live.catchingUp")}</p>}
      {version.data && (
        <p className={styles.news}>
          {t("live.newVersion")}{" "}
          <button type="button" onClick={() => location.reload()} className={styles.reload}>
            {t("live.reload")}
          </button>
        </p>
      )}
    </div>
  );
}
