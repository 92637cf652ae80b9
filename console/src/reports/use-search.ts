import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMe } from "../app/session.ts";
import { type Days, daysOf } from "./periods.ts";
import type { ReportSearch } from "./search.ts";

type Changes = { readonly [Name in keyof ReportSearch]: ReportSearch[Name] | undefined };

/** What the address says, and how it is changed: going back leads to the screen before the reports. */
export function useReportSearch(): { readonly search: ReportSearch; readonly set: (changes: Changes) => void } {
  const search: ReportSearch = useSearch({ from: "/reports" });
  const navigate = useNavigate({ from: "/reports" });
  const set = (changes: Changes): void =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, ...changes }) as ReportSearch,
      replace: true,
    });
  return { search, set };
}

/** The days that are shown. */
export function useDays(): Days {
  const { search } = useReportSearch();
  const { zona_horaria } = useMe();
  const { from, to, period = "days30" } = search;
  return from && to ? { from, to } : daysOf(period, zona_horaria);
}
