import "./texts.ts";
import { Alert, Badge, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Asking } from "../settings/asking.tsx";
import { Copyable, Failure, Loading, More, Nothing, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { DayField } from "../shared/day-field.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { momentOf } from "../shared/time.ts";
import { useClock } from "../shared/use-clock.ts";
import type { KeysSearch } from "./dialogs-search.ts";

const scopes = ["read", "send", "orders", "admin"] as const;
type Scope = (typeof scopes)[number];
const usual: readonly Scope[] = ["read", "send", "orders"];

const useKeys = () =>
  useInfiniteQuery({
    queryKey: ["admin", "app-keys"],
    queryFn: ({ pageParam, signal }) =>
      answered(api.GET("/admin/app-keys", { params: { query: pageParam ? { cursor: pageParam } : {} }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export function AppKeysScreen() {
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("app-keys");
  const list = useKeys();
  const { data, isPending, error, refetch } = list;
  const { key: opened } = useSearch({ strict: false }) as KeysSearch;
  const navigate = useNavigate();
  const [made, setMade] = useState<Made | null>(null);
  const open = (search: KeysSearch, replace = false) => void navigate({ to: "/settings/app-keys", search, replace });
  const close = (): void => {
    setMade(null);
    open({}, true);
  };
  const keys = data?.pages.flatMap((page) => page.data) ?? [];
  const add = <Button onClick={() => open({ key: "new" })}>{t("keys.add")}</Button>;

  return (
    <Page place="app-keys" action={add}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && keys.length === 0 && <Nothing text={t("keys.none")} />}
      {keys.length > 0 && (
        <ul aria-label={placeTitle} className={styles.list}>
          {keys.map((key) => (
            <Row key={key.id} {...key} />
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
      {opened !== undefined && (
        <Dialog opened onClose={close} title={t(opened === "new" ? "keys.add" : "keys.title")}>
          {opened === "new" ? (
            <NewKey
              onClose={close}
              onMade={(key) => {
                setMade(key);
                open({ key: key.id }, true);
              }}
            />
          ) : (
            <StoredKey key={opened} id={opened} value={made?.id === opened ? made.key : null} onClose={close} />
          )}
        </Dialog>
      )}
    </Page>
  );
}

interface Made {
  readonly id: number;
  readonly key: string;
}

interface Key {
  readonly id: number;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly last_used: string | null;
  readonly expires_at: string | null;
}

function Row(key: Key) {
  const { id, label } = key;
  const { t } = useTranslation("connections");
  const revoke = useChange("app-keys", () => api.DELETE("/admin/app-keys/{id}", { params: { path: { id } } }));
  return (
    <li className={styles.row}>
      <Facts {...key} />
      <Asking label={t("keys.revoke")} name={label} question={t("keys.revokeAsk", { name: label })} act={revoke} />
    </li>
  );
}

function Facts({ label, scopes: given, last_used, expires_at }: Key) {
  const { t } = useTranslation("connections");
  const clock = useClock();
  const used = t("keys.lastUsed", { at: last_used ? clock.brief(last_used) : t("never") });
  const expiry = expires_at ? ` · ${t("keys.expiresAt", { at: clock.moment(expires_at) })}` : "";
  return (
    <div className={styles.what}>
      <p className={styles.name}>{label}</p>
      <p className={styles.detail}>
        {used}
        {expiry}
      </p>
      <div className={styles.badges}>
        {given.map((scope) => (
          <Badge key={scope} variant="default" size="sm" tt="none" fw={500}>
            {t(`keys.${scope}`)}
          </Badge>
        ))}
      </div>
    </div>
  );
}

interface StoredProps {
  readonly id: number;
  /** The key itself, which is shown only once. Null after the page was left or reloaded. */
  readonly value: string | null;
  readonly onClose: () => void;
}

function StoredKey({ id, value, onClose }: StoredProps) {
  const { t } = useTranslation("connections");
  const { data, error } = useQuery({
    queryKey: ["admin", "app-keys", id],
    queryFn: ({ signal }) => answered(api.GET("/admin/app-keys/{id}", { params: { path: { id } }, signal })),
  });
  return (
    <Stack>
      <Alert color={value === null ? "gray" : "yellow"} variant="light" role="status">
        {t(value === null ? "keys.past" : "keys.once")}
      </Alert>
      {value !== null && <Copyable label={t("keys.key")} value={value} />}
      <Failure error={error} />
      {data && <Facts {...data} />}
      <Button onClick={onClose}>{t("close")}</Button>
    </Stack>
  );
}

interface NewProps {
  readonly onClose: () => void;
  readonly onMade: (key: Made) => void;
}

function NewKey({ onClose, onMade }: NewProps) {
  const { t } = useTranslation("connections");
  const [label, setLabel] = useState("");
  const [chosen, setChosen] = useState<readonly Scope[]>(usual);
  const [expires, setExpires] = useState("");
  const { zona_horaria } = useMe();
  const create = useChange("app-keys", () =>
    answered(
      api.POST("/admin/app-keys", {
        body: {
          label,
          scopes: [...chosen],
          expires_at: expires === "" ? null : momentOf(`${expires}T23:59`, zona_horaria),
        },
      }),
    ),
  );
  const { release, question } = useLeaving(label !== "" || expires !== "" || chosen.join() !== usual.join());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(undefined, {
      onSuccess: (key) => {
        release();
        onMade(key);
      },
    });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Frozen when={create.isPending}>
          <TextInput
            data-autofocus
            required
            maxLength={200}
            label={t("keys.label")}
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <Checkbox.Group
            label={t("keys.scopes")}
            value={[...chosen]}
            onChange={(values) => setChosen(scopes.filter((scope) => values.includes(scope)))}
          >
            <Stack gap="xs" mt="xs">
              {scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={t(`keys.${scope}`)} />
              ))}
            </Stack>
          </Checkbox.Group>
          <DayField label={t("keys.expires")} description={t("keys.expiresHint")} day={expires} onDay={setExpires} />
        </Frozen>
        <Failure error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={label.trim() === "" || chosen.length === 0}>
            {t("keys.create")}
          </Button>
        </Group>
      </Stack>
      {question}
    </form>
  );
}
