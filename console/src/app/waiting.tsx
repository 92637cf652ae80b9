import { Loader } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./gate.module.css";

/** Shown until it is known which page to show. */
export function Waiting() {
  const { t } = useTranslation();
  return (
    <main className={styles.middle}>
      <Loader aria-label={t("thread.loading")} role="status" />
    </main>
  );
}
