import { useEffect, useRef } from "react";

/** The open panels and dialogs, the topmost last. */
const open: object[] = [];

/**
 * Returns a function that tells whether a panel or dialog is the topmost one. Escape reaches all open panels and
 * dialogs, but must close only the topmost one.
 */
export function useIsTopmost(opened: boolean): () => boolean {
  const { current: own } = useRef({});
  useEffect(() => {
    if (!opened) return;
    open.push(own);
    // The Escape key that closes this panel may reach the panel below afterwards. Until then, this panel counts as the
    // topmost one.
    return () => void setTimeout(() => open.splice(open.indexOf(own), 1));
  }, [opened, own]);
  return () => open.at(-1) === own;
}
