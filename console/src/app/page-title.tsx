import { useEffect } from "react";
import { useCounts } from "../inbox/use-counts.ts";

const product = "Recado";

/** Sets the title of the browser's tab: the number of unread chats and the screen. */
export function PageTitle({ screen }: { readonly screen: string | null }) {
  const unread = useCounts()?.unread ?? 0;
  useEffect(() => {
    const name = screen === null ? product : `${screen} · ${product}`;
    document.title = unread > 0 ? `(${unread > 999 ? "999+" : unread}) ${name}` : name;
    return () => {
      document.title = product;
    };
  }, [unread, screen]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = unread > 0 ? "/console/icon-unread.svg" : "/console/icon.svg";
  }, [unread]);
  return null;
}
