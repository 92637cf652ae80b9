import "./texts.ts";
import { Alert, Button, CopyButton, Skeleton, Stack, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { BackLink } from "../shared/back-link.tsx";
import { queryClient } from "../shared/query.ts";
import { groups, type Place } from "./places.ts";
import styles from "./settings.module.css";

interface PageProps {
  readonly place: Place;
  /** The title of a single record. Without a title, the page shows the title of the place. */
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function usePlaceTitle(place: Place): string {
  const { t } = useTranslation("settings");
  return t(`places.${place}.title`);
}

/** A settings page next to the settings menu. */
export function Page({ place, title, action, children }: PageProps) {
  const { t } = useTranslation("settings");
  return (
    <div className={styles.page}>
      <Menu />
      <div className={styles.content}>
        <div className={styles.top}>
          {title === undefined ? (
            <BackLink to="/settings" className={styles.back}>
              {t("title")}
            </BackLink>
          ) : (
            <BackLink to={`/settings/${place}`}>{t(`places.${place}.title`)}</BackLink>
          )}
          <div className={styles.head}>
            <Title order={1} size="h2">
              {title ?? t(`places.${place}.title`)}
            </Title>
            {action && <div className={styles.actions}>{action}</div>}
          </div>
          {title === undefined && <p className={styles.lead}>{t(`places.${place}.lead`)}</p>}
        </div>
        {children}
      </div>
    </div>
  );
}

function Menu() {
  const { t } = useTranslation("settings");
  return (
    <nav aria-label={t("title")} className={styles.menu}>
      {groups.map(({ group, places }) => (
        <div key={group}>
          <p className={styles.group}>{t(`groups.${group}`)}</p>
          <ul>
            {places.map((each) => (
              <li key={each}>
                <Link to={`/settings/${each}`} className={styles.place} activeProps={{ "data-active": true }}>
                  {t(`places.${each}.title`)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
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

interface MoreProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly text: string;
}

/** The button below a list that has more pages. */
export function More({ list, text }: MoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {text}
    </Button>
  );
}

const ownWords = ["taken", "moved_on", "not_found", "last_administrator"] as const;

/** Words for an error: the reason of a refusal, or else that the service is unreachable. */
export function useWordsOf(): (error: unknown) => string {
  const { t } = useTranslation("settings");
  return (error) => {
    if (!(error instanceof Refused)) return t("unreachable");
    if (error.code === "in_use") {
      const uses = error.uses.map(({ tipo, cantidad }) => `${t(`uses.${tipo}` as "uses.usuarios", tipo)}: ${cantidad}`);
      return t("refused.in_use", { uses: uses.join(", ") });
    }
    const known = ownWords.find((code) => code === error.code);
    return known ? t(`refused.${known}`) : error.message;
  };
}

export function Failure({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const { t } = useTranslation("settings");
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

/** A mutation after which the resource `key` is read again. While the mutation runs, `mutate` does nothing. */
export function useChange<Given, Answer>(key: string, change: (given: Given) => Promise<Answer>) {
  // This is a ref, since a state changes only with the next render. The second click of a double click may come before
  // that render.
  const isUnderWay = useRef(false);
  const mutation = useMutation({
    mutationFn: change,
    onSettled: () => {
      isUnderWay.current = false;
      return queryClient.invalidateQueries({ queryKey: ["admin", key] });
    },
  });
  const mutate: typeof mutation.mutate = (...given) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}

export function Copyable({ label, value }: { readonly label: string; readonly value: string }) {
  const { t } = useTranslation("settings");
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
