import "./texts.ts";
import { Badge, Skeleton, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure } from "../settings/page.tsx";
import settings from "../settings/settings.module.css";
import { answered, api, type paths } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./people.module.css";

type Answer = paths["/me/sessions"]["get"]["responses"][200]["content"]["application/json"];
type Session = Answer["data"][number];
type Ending = Promise<{ readonly error?: unknown; readonly response: Response }>;

/** Requests for the sessions of a user. */
interface Source {
  readonly key: readonly unknown[];
  readonly read: (signal: AbortSignal) => Promise<Answer>;
  readonly end: (id: number) => Ending;
  /** Ends all sessions except the session that sends the request. */
  readonly endAll: () => Ending;
  readonly isOwn: boolean;
}

const own: Source = {
  key: ["own-sessions"],
  read: (signal) => answered(api.GET("/me/sessions", { signal })),
  end: (id) => api.DELETE("/me/sessions/{id}", { params: { path: { id } } }),
  endAll: () => api.DELETE("/me/sessions"),
  isOwn: true,
};

function sourceOf(userId: number): Source {
  const path = { id: userId };
  return {
    key: ["admin", "users", "sessions", userId],
    read: (signal) => answered(api.GET("/admin/users/{id}/sessions", { params: { path }, signal })),
    end: (session) => api.DELETE("/admin/users/{id}/sessions/{session}", { params: { path: { ...path, session } } }),
    endAll: () => api.DELETE("/admin/users/{id}/sessions", { params: { path } }),
    isOwn: false,
  };
}

export const ownSessionsChanged = (): Promise<void> => queryClient.invalidateQueries({ queryKey: own.key });

/** The signed-in user's sessions. */
export const OwnSessions = ({ level }: { readonly level: 2 | 3 }) => <Sessions source={own} level={level} />;

/** Another user's sessions, for administrators. */
export const UserSessions = ({ userId }: { readonly userId: number }) => (
  <Sessions source={sourceOf(userId)} level={3} />
);

interface SessionsProps {
  readonly source: Source;
  /** The level of the heading. */
  readonly level: 2 | 3;
}

function Sessions({ source, level }: SessionsProps) {
  const { t } = useTranslation("people");
  const { data, error, refetch, isPending } = useQuery({
    queryKey: source.key,
    queryFn: ({ signal }) => source.read(signal),
    staleTime: 0,
  });
  const endAll = useEnding(source, source.endAll);
  const sessions = data?.data ?? [];
  const all = source.isOwn ? "endOthers" : "endAll";
  return (
    <section aria-labelledby="sessions">
      <div className={styles.sectionHead}>
        <Title order={level} size={level === 2 ? "h4" : "h5"} id="sessions">
          {t("sessions.title")}
        </Title>
        {sessions.length > 1 && (
          <Asking
            label={t(`sessions.${all}`)}
            name={t("sessions.title")}
            question={t(`sessions.${all}Ask`)}
            act={endAll}
          />
        )}
      </div>
      {isPending && <Skeleton height={64} radius="md" />}
      <Failure error={error} again={() => void refetch()} />
      {data && sessions.length === 0 && <p className={settings.detail}>{t("sessions.none")}</p>}
      {sessions.length > 0 && (
        <ul aria-label={t("sessions.title")} className={settings.list}>
          {sessions.map((session) => (
            <Row key={session.id} source={source} session={session} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  readonly source: Source;
  readonly session: Session;
}

function Row({ source, session: { id, created_at, last_used, address, current } }: RowProps) {
  const { t } = useTranslation("people");
  const clock = useClock();
  const end = useEnding(source, () => source.end(id));
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
      {/* The current session has no button, since signing out ends it. */}
      {current ? (
        <Badge variant="light" tt="none">
          {t("sessions.current")}
        </Badge>
      ) : (
        <Asking label={t("sessions.end")} name={where} question={t("sessions.endAsk", { where })} act={end} />
      )}
    </li>
  );
}

const useEnding = ({ key }: Source, end: () => Ending) =>
  useMutation({ mutationFn: end, onSettled: () => queryClient.invalidateQueries({ queryKey: key }) });
