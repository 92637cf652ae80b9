import { Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./gate.module.css";

/** Of a screen that is not there yet. */
export function Soon({ screen }: { readonly screen: "reports" | "settings" }) {
  const { t } = useTranslation();
  return (
    <div className={styles.middle}>
      <Icon name={screen} size={40} />
      <Title order={1} size="h2">
        {t(`nav.${screen}`)}
      </Title>
      <Text ta="center">{t("soon.lead")}</Text>
      <Text ta="center">
        {t("soon.detail")} <a href="/docs">{t("soon.docs")}</a>
      </Text>
    </div>
  );
}
