import "./texts.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Failure, Loading, More, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { LinkButton } from "../shared/link-button.tsx";
import { days, type Hours, weekOf } from "./hours.ts";
import { type Department, useAllUsers } from "./people.ts";

const useDepartments = () =>
  useInfiniteQuery({
    queryKey: ["admin", "departments", "list"],
    queryFn: ({ pageParam, signal }) =>
      answered(api.GET("/admin/departments", { params: { query: pageParam ? { cursor: pageParam } : {} }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export function DepartmentsScreen() {
  const { t } = useTranslation("people");
  const title = usePlaceTitle("departments");
  const list = useDepartments();
  const { data, isPending, error, refetch } = list;
  const { data: users } = useAllUsers();
  const names = new Map(users?.map(({ id, nombre }) => [id, nombre]));
  const departments = data?.pages.flatMap((page) => page.data) ?? [];
  const add = (
    <LinkButton to="/settings/departments/$department" params={{ department: "new" }}>
      {t("departments.add")}
    </LinkButton>
  );
  return (
    <Page place="departments" action={add}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && departments.length === 0 && <Nothing text={t("departments.none")} />}
      {departments.length > 0 && (
        <ul aria-label={title} className={settings.list}>
          {departments.map((department) => (
            <Row key={department.id} department={department} names={names} />
          ))}
        </ul>
      )}
      <More list={list} text={t("more")} />
    </Page>
  );
}

interface RowProps {
  readonly department: Department;
  readonly names: ReadonlyMap<number, string>;
}

const namesShown = 4;

function Row({ department: { id, nombre, agentes, horario }, names }: RowProps) {
  const { t } = useTranslation("people");
  const summary = useHoursSummary();
  const shown = agentes.slice(0, namesShown).flatMap((each) => names.get(each) ?? []);
  const rest = agentes.length - shown.length;
  const members =
    agentes.length === 0 ? t("departments.noMembers") : `${shown.join(", ")}${rest > 0 ? ` +${rest}` : ""}`;
  return (
    <li className={settings.row}>
      <div className={settings.what}>
        <Link to="/settings/departments/$department" params={{ department: String(id) }} className={settings.name}>
          {nombre}
        </Link>
        <p className={settings.detail}>{members}</p>
        <p className={settings.detail}>{summary(horario as Hours)}</p>
      </div>
    </li>
  );
}

/** Groups successive days with the same hours: `Lu–Vi 09:00–18:00 · Sá 09:00–13:00`. */
function useHoursSummary(): (hours: Hours) => string {
  const { t } = useTranslation("people");
  return (hours) => {
    if (hours === null) return t("departments.always");
    const week = weekOf(hours);
    const runs: { first: number; last: number; times: string }[] = [];
    for (const [place, day] of days.entries()) {
      const times = week[day].map((span) => span.join("–")).join(", ");
      const last = runs.at(-1);
      if (times === "") continue;
      if (last?.times === times && last.last === place - 1) last.last = place;
      else runs.push({ first: place, last: place, times });
    }
    if (runs.length === 0) return t("departments.never");
    const name = (place: number) => t(`hours.short.${days[place] ?? "mon"}`);
    return runs
      .map(({ first, last, times }) => `${name(first)}${last > first ? `–${name(last)}` : ""} ${times}`)
      .join(" · ");
  };
}
