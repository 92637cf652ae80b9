import { useSearch } from "@tanstack/react-router";
import { useMe } from "../app/session.ts";
import { useSetSearch } from "../shared/use-set-search.ts";
import { type Days, daysOf } from "./periods.ts";
import type { ReportSearch } from "./search.ts";

/** Reads and changes the filters in the URL. */
export function useReportSearch() {
  const search: ReportSearch = useSearch({ from: "/reports" });
  return { search, set: useSetSearch<ReportSearch>() };
}

export function useDays(): Days {
  const { search } = useReportSearch();
  const { zona_horaria } = useMe();
  const { from, to, period = "days30" } = search;
  return from && to ? { from, to } : daysOf(period, zona_horaria);
}
