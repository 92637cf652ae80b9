import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./inbox.module.css";

export function NoChat() {
  const { t } = useTranslation();
  return (
    <div className={styles.nothing}>
      <Icon name="chat" size={44} />
      <Text>{t("inbox.choose")}</Text>
    </div>
  );
}
