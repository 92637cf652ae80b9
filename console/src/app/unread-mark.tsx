import { useEffect } from "react";
import { useCounts } from "../inbox/use-counts.ts";

const name = "Recado";

/** Shows the number of unread chats in the browser's tab. */
export function UnreadMark() {
  const unread = useCounts()?.unread ?? 0;
  useEffect(() => {
    document.title = unread > 0 ? `(${unread > 999 ? "999+" : unread}) ${name}` : name;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = unread > 0 ? "/console/icon-unread.svg" : "/console/icon.svg";
    return () => {
      document.title = name;
    };
  }, [unread]);
  return null;
}
