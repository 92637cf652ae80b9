import "./inbox-texts.ts";
import { Kbd, Switch, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../shared/dialog.tsx";
import styles from "./shortcuts-dialog.module.css";
import { shortcutKeys, switchShortcuts, useShortcutsOn } from "./use-shortcuts.ts";

/** Has a default export, since its code is loaded separately by `lazy`. */
export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation("inbox");
  const isOn = useShortcutsOn();
  return (
    <Dialog opened title={t("shortcuts")} onClose={onClose}>
      <dl className={styles.keys} data-off={!isOn}>
        {shortcutKeys.map((key) => (
          <div key={key}>
            <dt>{t(`keys.${key}`)}</dt>
            <dd>
              <Kbd>{key}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        mt="md"
        label={t("shortcutsOn")}
        checked={isOn}
        onChange={(event) => switchShortcuts(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed" mt={6}>
        {t("shortcutsHint")}
      </Text>
    </Dialog>
  );
}
