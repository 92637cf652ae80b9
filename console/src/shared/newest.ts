import { useEffect, useRef } from "react";

/**
 * Returns a function that aborts the earlier work and gives the signal for the new work. Call it where only the result
 * of the newest work counts. Work is also aborted when the component is removed.
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
