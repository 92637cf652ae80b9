import { Button, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./gate.module.css";

export function Failed() {
  const { t } = useTranslation();
  return (
    <div className={styles.middle} role="alert">
      <Title order={1} size="h3">
        {t("error.title")}
      </Title>
      <Button onClick={() => location.reload()}>{t("error.reload")}</Button>
    </div>
  );
}
