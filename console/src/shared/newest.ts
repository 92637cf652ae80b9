import { useEffect, useRef } from "react";

/**
 * For work where only the newest result is used. The returned function aborts the earlier work and returns the
 * signal for the new work. Work is also aborted when the component is removed.
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
