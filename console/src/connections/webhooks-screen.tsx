import "./texts.ts";
import { Alert, Badge, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Copyable, Failure, Loading, Nothing, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { fieldRefusal } from "../shared/field-refusal.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import type { WebhooksSearch } from "./dialogs-search.ts";

const events = [
  "message.new",
  "message.status",
  "chat.changed",
  "ticket.new",
  "ticket.changed",
  "order.changed",
  "campaign.finished",
  "contact.changed",
] as const;

type EventName = (typeof events)[number];
type KeyOf<Name> = Name extends `${infer Kind}.${infer What}` ? `${Kind}_${What}` : never;

/** A dot would divide a text's key into levels, so an underscore replaces it. */
const keyOf = (event: EventName) => event.replace(".", "_") as KeyOf<EventName>;

const isEvent = (name: string): name is EventName => events.some((event) => event === name);

/** Translates names of events. Names that this console does not know stay as they are. */
export function useEventNames(): (events: readonly string[]) => string {
  const { t } = useTranslation("connections");
  const nameOf = (event: string): string => {
    if (event === "webhook.test") return t("hooks.testEvent");
    return isEvent(event) ? t(`hooks.event.${keyOf(event)}`) : event;
  };
  return (named) => named.map(nameOf).join(", ");
}

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A business has at most 50 webhooks, so one page holds all. */
const all = 50;

export function WebhooksScreen() {
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("webhooks");
  const namesOf = useEventNames();
  const { webhook: form } = useSearch({ strict: false }) as WebhooksSearch;
  const navigate = useNavigate();
  const open = (search: WebhooksSearch, replace = false) =>
    void navigate({ to: "/settings/webhooks", search, replace });
  const [made, setMade] = useState<Made | null>(null);
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ["admin", "webhooks"],
    queryFn: ({ signal }) => answered(api.GET("/admin/webhooks", { params: { query: { limit: all } }, signal })),
  });
  const pageOf = (id: number) => ({
    to: "/settings/webhooks/$webhook",
    params: { webhook: String(id) },
    replace: true,
  });
  // After a reload the secret is unknown, so the webhook's own page opens instead.
  if (typeof form === "number" && made?.id !== form) return <Navigate {...pageOf(form)} />;
  const close = (): void => (typeof form === "number" ? void navigate(pageOf(form)) : open({}, true));
  return (
    <Page place="webhooks" action={<Button onClick={() => open({ webhook: "new" })}>{t("hooks.add")}</Button>}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data?.data.length === 0 && <Nothing text={t("hooks.none")} />}
      {data && data.data.length > 0 && (
        <ul aria-label={placeTitle} className={styles.list}>
          {data.data.map(({ id, url, description, disabled, events: heard }) => (
            <li key={id} className={styles.row}>
              <div className={styles.what}>
                <Link to="/settings/webhooks/$webhook" params={{ webhook: String(id) }} className={styles.name}>
                  {url}
                </Link>
                <p className={styles.detail}>{[description, namesOf(heard)].filter(Boolean).join(" · ")}</p>
              </div>
              <HookState disabled={disabled} />
            </li>
          ))}
        </ul>
      )}
      {form !== undefined && (
        <Dialog opened onClose={close} title={t("hooks.add")}>
          {made && form === made.id ? (
            <Secret secret={made.secret} onClose={close} />
          ) : (
            <NewWebhook
              onClose={close}
              onMade={(hook) => {
                setMade(hook);
                open({ webhook: hook.id }, true);
              }}
            />
          )}
        </Dialog>
      )}
    </Page>
  );
}

export function HookState({ disabled }: { readonly disabled: boolean }) {
  const { t } = useTranslation("connections");
  return (
    <Badge variant="outline" color={disabled ? "red" : "brand"} tt="none">
      {t(disabled ? "hooks.disabled" : "hooks.active")}
    </Badge>
  );
}

export function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { t } = useTranslation("connections");
  return (
    <Stack>
      <Alert color="yellow" variant="light" role="status">
        {t("hooks.once")}
      </Alert>
      <Copyable label={t("hooks.secret")} value={secret} />
      <Button onClick={onClose}>{t("close")}</Button>
    </Stack>
  );
}

interface Made {
  readonly id: number;
  readonly secret: string;
}

interface NewProps {
  readonly onClose: () => void;
  readonly onMade: (hook: Made) => void;
}

function NewWebhook({ onClose, onMade }: NewProps) {
  const { t } = useTranslation("connections");
  const [url, setUrl] = useState("https://");
  const [description, setDescription] = useState("");
  const [heard, setHeard] = useState<string[]>(["message.new"]);
  const create = useChange("webhooks", () => {
    const chosen = events.filter((event) => heard.includes(event));
    const body = { url: url.trim(), description: description || null, events: chosen };
    return answered(api.POST("/admin/webhooks", { body }));
  });
  const refusal = fieldRefusal(create.error, ["url"]);
  const typed = JSON.stringify([url, description, heard]);
  const [first] = useState(typed);
  const { release, question } = useLeaving(typed !== first);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(undefined, {
      onSuccess: (hook) => {
        release();
        onMade(hook);
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
            inputMode="url"
            maxLength={2_000}
            label={t("hooks.url")}
            value={url}
            error={refusal ? capital(refusal.words) : undefined}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            maxLength={200}
            label={t("hooks.description")}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Checkbox.Group label={t("hooks.events")} value={heard} onChange={setHeard}>
            <div className={styles.pair}>
              {events.map((event) => (
                <Checkbox key={event} value={event} label={t(`hooks.event.${keyOf(event)}`)} description={event} />
              ))}
            </div>
          </Checkbox.Group>
        </Frozen>
        {!refusal && <Failure error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={heard.length === 0}>
            {t("save")}
          </Button>
        </Group>
      </Stack>
      {question}
    </form>
  );
}
