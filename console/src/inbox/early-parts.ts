import { useEffect } from "react";

/** The parts of the inbox that open on demand. All are small. */
const parts = [
  () => import("./chat-side.tsx"),
  () => import("./emoji-picker.tsx"),
  () => import("./filter-picker.tsx"),
  () => import("./lightbox.tsx"),
  () => import("./shortcuts-dialog.tsx"),
  () => import("./template-dialog.tsx"),
  () => import("../shared/panel.tsx"),
];

/** The inbox is in use by then, and nothing waits for the network. */
const waitMs = 5_000;

/** Loads these parts early, so that they open without a connection, too. */
export function useEarlyParts(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of parts) load().catch(() => undefined);
    }, waitMs);
    return () => clearTimeout(timer);
  }, []);
}
