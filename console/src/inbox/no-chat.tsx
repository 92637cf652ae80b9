import { Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import styles from "./inbox.module.css";

const Guide = lazy(() => loadPart(() => import("../guide/guide.tsx")));

export function NoChat() {
  const { administrador } = useMe();
  if (!administrador) return <Choose />;
  return (
    <Suspense fallback={<div className={styles.nothing} />}>
      <Guide otherwise={<Choose />} />
    </Suspense>
  );
}

function Choose() {
  const { t } = useTranslation();
  return (
    <div className={`${styles.nothing} ${styles.choose}`}>
      <Icon name="chat" size={44} />
      <Text>{t("inbox.choose")}</Text>
    </div>
  );
}
