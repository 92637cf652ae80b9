import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useConnection } from "../live/connection.ts";
import { queryClient } from "../shared/query.ts";

/** What the inbox loads on demand. All are small but the emoji, which are data. */
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

/** Milliseconds until the parts are loaded. By then the inbox is in use, and nothing else waits for the network. */
const waitMs = 5_000;

/** Loads these parts early, so that they open without a connection, too. */
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

/**
 * Loads the parts one at a time, so that messages do not wait for them. After a failure, the next connection starts
 * again.
 */
async function loadAll(language: string): Promise<void> {
  try {
    for (const load of parts) await load(language);
  } catch {
    // A part that is missing here is loaded when it is opened.
  }
}
