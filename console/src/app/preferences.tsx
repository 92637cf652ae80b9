import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { type Language, languages, switchLanguage } from "./i18n.ts";
import styles from "./preferences.module.css";

/** Switches for language and color scheme. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <div className={styles.row}>
      <fieldset className={styles.languages} aria-label={t("nav.language")}>
        {(Object.keys(languages) as Language[]).map((language) => (
          <button
            key={language}
            type="button"
            lang={language}
            aria-pressed={i18n.language === language}
            className={styles.language}
            onClick={() => switchLanguage(language)}
          >
            {languages[language]}
          </button>
        ))}
      </fieldset>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t(isDark ? "nav.light" : "nav.dark")}
        title={t(isDark ? "nav.light" : "nav.dark")}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        <Icon name={isDark ? "sun" : "moon"} />
      </ActionIcon>
    </div>
  );
}
