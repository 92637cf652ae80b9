import { useEffect, useRef } from "react";

/**
 * For work of which only the newest counts. Returns a function that aborts the work before, and gives the signal of the
 * new work. The end of the component also aborts the work.
 */
export function useNewest(): () => AbortSignal {
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  return () => {
    current.current?.abort();
    current.current = new AbortController();
    return current.current.signal;
  };
}
