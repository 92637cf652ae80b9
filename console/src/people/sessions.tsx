import "./texts.ts";
import { Skeleton, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, useChange } from "../settings/page.tsx";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./people.module.css";

/** Where a user is signed in; each one can be ended. */
export function Sessions({ userId }: { readonly userId: number }) {
  const { t } = useTranslation("people");
  const path = { id: userId };
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ["admin", "users", "sessions", userId],
    queryFn: ({ signal }) => answered(api.GET("/admin/users/{id}/sessions", { params: { path }, signal })),
    staleTime: 0,
  });
  const endAll = useChange("users", () => api.DELETE("/admin/users/{id}/sessions", { params: { path } }));
  return (
    <section aria-labelledby={`sessions-${userId}`}>
      <div className={styles.sectionHead}>
        <Title order={3} size="h5" id={`sessions-${userId}`}>
          {t("sessions.title")}
        </Title>
        {data && data.data.length > 1 && (
          <Asking
            label={t("sessions.endAll")}
            name={t("sessions.title")}
            question={t("sessions.endAllAsk")}
            act={endAll}
          />
        )}
      </div>
      {isPending && <Skeleton height={64} radius="md" />}
      <Failure error={error} again={() => void refetch()} />
      {data?.data.length === 0 && <p className={settings.detail}>{t("sessions.none")}</p>}
      {data && data.data.length > 0 && (
        <ul aria-label={t("sessions.title")} className={settings.list}>
          {data.data.map((session) => (
            <Session key={session.id} userId={userId} {...session} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface SessionProps {
  readonly id: number;
  readonly userId: number;
  readonly created_at: string;
  readonly last_used: string | null;
  readonly address: string | null;
}

function Session({ id, userId, created_at, last_used, address }: SessionProps) {
  const { t } = useTranslation("people");
  const clock = useClock();
  const end = useChange("users", () =>
    api.DELETE("/admin/users/{id}/sessions/{session}", { params: { path: { id: userId, session: id } } }),
  );
  const where = address ?? t("sessions.unknown");
  const used = last_used ? ` · ${t("sessions.used", { at: clock.brief(last_used) })}` : "";
  return (
    <li className={settings.row}>
      <div className={settings.what}>
        <p className={settings.name}>{where}</p>
        <p className={settings.detail}>
          {t("sessions.since", { at: clock.moment(created_at) })}
          {used}
        </p>
      </div>
      <Asking label={t("sessions.end")} name={where} question={t("sessions.endAsk", { where })} act={end} />
    </li>
  );
}
