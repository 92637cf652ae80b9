import type { StoredKey } from "./ports.ts";

/** A key as the audit keeps it. */
export const shownKey = ({ label, scopes, expiresAt }: StoredKey): object => ({
  label,
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
});
