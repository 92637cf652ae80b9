import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useConnection } from "../live/connection.ts";
import { queryClient } from "../shared/query.ts";

/** The parts that the inbox loads on demand. All are small except the emoji data. */
const parts: readonly ((language: string) => Promise<unknown>)[] = [
  () => import("./chat-side.tsx"),
  () => import("./emoji-picker.tsx"),
  () => import("./filter-picker.tsx"),
  () => import("./lightbox.tsx"),
  () => import("./shortcuts-dialog.tsx"),
  () => import("./template-dialog.tsx"),
  () => import("../shared/panel.tsx"),
  async (language) => queryClient.prefetchQuery((await import("./emoji-data.ts")).emojiQuery(language)),
];

/** Milliseconds before the parts are loaded. By then the inbox is shown, and nothing else waits for the network. */
const waitMs = 5_000;

/** Loads the parts early, so that they can also be opened without a connection. */
export function useEarlyParts(): void {
  const { i18n } = useTranslation();
  const { language } = i18n;
  const isOnline = useConnection() === "online";
  useEffect(() => {
    if (!isOnline) return;
    const timer = setTimeout(() => void loadAll(language), waitMs);
    return () => clearTimeout(timer);
  }, [isOnline, language]);
}

/** Loads the parts one at a time, so that messages do not wait for them. */
async function loadAll(language: string): Promise<void> {
  try {
    for (const load of parts) await load(language);
  } catch {
    // The parts are loaded again at the next connection. Opening a part loads it, too.
  }
}
