import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Clock } from "./time.ts";

export function useClock(): Clock {
  const { i18n } = useTranslation();
  const { zona_horaria } = useMe();
  return useMemo(() => new Clock(i18n.language, zona_horaria), [i18n.language, zona_horaria]);
}

/** The current time in milliseconds, updated every `everyMs` milliseconds. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
