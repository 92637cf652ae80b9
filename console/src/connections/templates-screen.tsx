import "./texts.ts";
import { Alert, Badge, Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, Loading, More, Nothing, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { SearchBox } from "../shared/search-box.tsx";

/** How often the list is read while a review is running. */
const watchMs = 3_000;
const colors = { no_status: "gray", PENDING: "yellow", APPROVED: "brand", REJECTED: "red" } as const;

function useTemplates(q: string) {
  return useInfiniteQuery({
    queryKey: ["admin", "templates", q],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
      return answered(api.GET("/admin/templates", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnMount: "always",
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.data.some((each) => each.state === "PENDING")) ? watchMs : false,
  });
}

export function TemplatesScreen() {
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("templates");
  const [q, setQ] = useState("");
  const list = useTemplates(q);
  const { data, isPending, error, refetch } = list;
  const sync = useChange("templates", () => answered(api.POST("/admin/templates/sync")));
  const templates = data?.pages.flatMap((page) => page.data) ?? [];
  const add = (
    <Button component={Link} to="/settings/templates/new">
      {t("templates.add")}
    </Button>
  );
  const actions = (
    <div className={styles.actions}>
      <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate(undefined)}>
        {t("templates.sync")}
      </Button>
      {add}
    </div>
  );
  return (
    <Page place="templates" action={actions}>
      {sync.data && (
        <Alert color="brand" variant="light" role="status">
          {t("templates.synced", { ...sync.data })}
        </Alert>
      )}
      <Failure error={sync.error} />
      <SearchBox label={t("templates.search")} q={q} onSearch={setQ} />
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && templates.length === 0 && <Nothing text={t(q ? "templates.noneFound" : "templates.none", { q })} />}
      {templates.length > 0 && (
        <ul aria-label={placeTitle} className={styles.list}>
          {templates.map(({ id, nombre, descripcion, state, rejected_reason }) => (
            <li key={id} className={styles.row}>
              <div className={styles.what}>
                <Link to="/settings/templates/$template" params={{ template: String(id) }} className={styles.name}>
                  {nombre}
                </Link>
                <p className={styles.detail}>{descripcion}</p>
                {rejected_reason && state !== "APPROVED" && (
                  <p className={styles.reason}>{t("templates.reason", { reason: rejected_reason })}</p>
                )}
              </div>
              <TemplateState state={state} />
            </li>
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
    </Page>
  );
}

export function TemplateState({ state }: { readonly state: string }) {
  const { t } = useTranslation("connections");
  const known = (Object.keys(colors) as (keyof typeof colors)[]).find((each) => each === state) ?? "no_status";
  return (
    <Badge variant="outline" color={colors[known]} tt="none">
      {t(`templates.state.${known}`)}
    </Badge>
  );
}
