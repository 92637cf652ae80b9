import { useEffect } from "react";
import { useCounts } from "../inbox/use-counts.ts";

const product = "Recado";

/** Shows unread chats in the browser tab: their number in the title, a dot on the icon. The title names the screen. */
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
