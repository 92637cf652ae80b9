import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import "./texts.ts";
import { groups } from "./places.ts";
import styles from "./settings.module.css";

/** The start page of the settings. */
export function SettingsScreen() {
  const { t } = useTranslation("settings");
  return (
    <div className={styles.start}>
      <Title order={1} size="h2">
        {t("title")}
      </Title>
      {groups.map(({ group, places }) => (
        <section key={group} aria-labelledby={group}>
          <h2 id={group}>{t(`groups.${group}`)}</h2>
          <ul className={styles.cards}>
            {places.map((each) => (
              <li key={each}>
                <Link to={`/settings/${each}`} className={styles.card}>
                  <span className={styles.name}>{t(`places.${each}.title`)}</span>
                  <span className={styles.detail}>{t(`places.${each}.lead`)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
