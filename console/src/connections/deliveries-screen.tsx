import "./texts.ts";
import { Alert, Button, Group, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading, More, Nothing, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { newestError } from "../shared/newest-error.ts";
import { DeliveryRow } from "./delivery-row.tsx";
import { HookState, Secret, useEventNames } from "./webhooks-screen.tsx";

/** How often the deliveries are read while any of them is waiting. */
const watchMs = 2_000;
const key = "webhooks";

function useDeliveries(id: number) {
  return useInfiniteQuery({
    queryKey: ["admin", key, id, "deliveries"],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { id }, query: pageParam ? { cursor: pageParam } : {} };
      return answered(api.GET("/admin/webhooks/{id}/deliveries", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.data.some((each) => each.state === "waiting")) ? watchMs : false,
  });
}

export function DeliveriesScreen() {
  const placeTitle = usePlaceTitle("webhooks");
  const { webhook } = useParams({ strict: false }) as { webhook: string };
  const id = Number(webhook);
  const params = { path: { id } };
  const { data, error } = useQuery({
    queryKey: ["admin", key, id],
    queryFn: ({ signal }) => answered(api.GET("/admin/webhooks/{id}", { params, signal })),
    refetchOnMount: "always",
  });
  return (
    <Page place="webhooks" title={data ? data.description || data.url : placeTitle}>
      <Failure error={error} />
      {!data && !error && <Loading />}
      {data && <Endpoint hook={data} />}
      {data && <Deliveries id={id} disabled={data.disabled} />}
    </Page>
  );
}

interface Hook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly disabled: boolean;
}

function Endpoint({ hook }: { readonly hook: Hook }) {
  const { t } = useTranslation("connections");
  const navigate = useNavigate();
  const namesOf = useEventNames();
  const params = { path: { id: hook.id } };
  const [secret, setSecret] = useState<string | null>(null);
  const test = useChange(key, () => answered(api.POST("/admin/webhooks/{id}/test", { params })));
  const rotate = useChange(key, () => answered(api.POST("/admin/webhooks/{id}/rotate", { params })));
  const remove = useChange(key, () => api.DELETE("/admin/webhooks/{id}", { params }));
  const toggle = useChange(key, async () => {
    // The webhook is read again, so that the request does not undo what a colleague has changed meanwhile.
    const { url, events, description, version } = await answered(api.GET("/admin/webhooks/{id}", { params }));
    const header = { "If-Match": `"${version}"` };
    const body = { url, events, description, disabled: !hook.disabled };
    return answered(api.PUT("/admin/webhooks/{id}", { params: { ...params, header }, body }));
  });
  return (
    <>
      <Group gap="xs">
        <HookState disabled={hook.disabled} />
        <span className={styles.detail}>{namesOf(hook.events)}</span>
      </Group>
      {hook.description && <p className={styles.detail}>{hook.url}</p>}
      {hook.disabled && (
        <Alert color="red" variant="light">
          {t("hooks.why")}
        </Alert>
      )}
      <div className={styles.actions}>
        <Button disabled={hook.disabled} loading={test.isPending} onClick={() => test.mutate(undefined)}>
          {t("hooks.test")}
        </Button>
        <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
          {t(hook.disabled ? "hooks.enable" : "hooks.disable")}
        </Button>
        <Button
          variant="default"
          loading={rotate.isPending}
          onClick={() => rotate.mutate(undefined, { onSuccess: (told) => setSecret(told.secret) })}
        >
          {t("hooks.rotate")}
        </Button>
        <Asking
          label={t("hooks.remove")}
          name={hook.url}
          question={t("hooks.removeAsk", { name: hook.url })}
          act={remove}
          onDone={() => void navigate({ to: "/settings/webhooks" })}
        />
      </div>
      <Failure error={newestError(test, toggle, rotate)} />
      <Dialog opened={secret !== null} onClose={() => setSecret(null)} title={t("hooks.rotate")}>
        {secret !== null && <Secret secret={secret} onClose={() => setSecret(null)} />}
      </Dialog>
    </>
  );
}

function Deliveries({ id, disabled }: { readonly id: number; readonly disabled: boolean }) {
  const { t } = useTranslation("connections");
  const list = useDeliveries(id);
  const { data, error, refetch } = list;
  const deliveries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <Title order={2} size="h4">
        {t("hooks.deliveries")}
      </Title>
      <Failure error={error} again={() => void refetch()} />
      {!data && !error && <Loading />}
      {data && deliveries.length === 0 && <Nothing text={t("hooks.noDeliveries")} />}
      {deliveries.length > 0 && (
        <ul aria-label={t("hooks.deliveries")} className={styles.list}>
          {deliveries.map((each) => (
            <DeliveryRow key={each.id} webhookId={id} disabled={disabled} delivery={each} />
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
    </>
  );
}
