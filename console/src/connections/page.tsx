import "./texts.ts";
import { Alert, Button, CopyButton, Skeleton, Stack, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import styles from "./connections.module.css";

const places = ["numbers", "templates", "app-keys", "webhooks"] as const;
type Place = (typeof places)[number];

interface PageProps {
  readonly place: Place;
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ place, title, action, children }: PageProps) {
  const { t } = useTranslation("connections");
  return (
    <div className={styles.page}>
      <nav aria-label={t("menu")} className={styles.menu}>
        {places.map((each) => (
          <Link key={each} to={`/settings/${each}`} className={styles.place} activeProps={{ "data-active": true }}>
            {t(`places.${each}.title`)}
          </Link>
        ))}
      </nav>
      <div className={styles.head}>
        <div>
          <Title order={1} size="h2">
            {title ?? t(`places.${place}.title`)}
          </Title>
          {title === undefined && <p className={styles.lead}>{t(`places.${place}.lead`)}</p>}
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}

/** Where settings begin. */
export function ConnectionsMenu() {
  const { t } = useTranslation("connections");
  return (
    <div className={styles.page}>
      <Title order={1} size="h2">
        {t("settings")}
      </Title>
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
    </div>
  );
}

export const Loading = () => (
  <Stack gap="xs" aria-hidden="true">
    <Skeleton height={72} radius="md" />
    <Skeleton height={72} radius="md" />
    <Skeleton height={72} radius="md" />
  </Stack>
);

export function Nothing({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.nothing}>
      <p>{text}</p>
      {children}
    </div>
  );
}

/** What the service said, else that it was not reached. */
export function useWordsOf(): (error: unknown) => string {
  const { t } = useTranslation("connections");
  return (error) => (error instanceof Refused ? error.message : t("unreachable"));
}

export function Failure({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const { t } = useTranslation("connections");
  const wordsOf = useWordsOf();
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert" className={styles.failure}>
      {wordsOf(error)}
      {again && (
        <Button variant="default" size="compact-sm" ml="sm" onClick={again}>
          {t("again")}
        </Button>
      )}
    </Alert>
  );
}

/** A change of one resource; what is shown of the resource is read again afterwards. */
export function useChange<Given, Answer>(key: string, change: (given: Given) => Promise<Answer>) {
  return useMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["admin", key] }),
  });
}

/** A value to be taken elsewhere. */
export function Copyable({ label, value }: { readonly label: string; readonly value: string }) {
  const { t } = useTranslation("connections");
  return (
    <div className={styles.copyable}>
      <span className={styles.detail}>{label}</span>
      <div className={styles.value}>
        <code>{value}</code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy} aria-label={`${t("copy")}: ${label}`}>
              {copied ? t("copied") : t("copy")}
            </Button>
          )}
        </CopyButton>
      </div>
    </div>
  );
}
