import type { StoredKey } from "./ports.ts";

/** A key as the audit stores it. */
export const shownKey = ({ label, scopes, expiresAt }: StoredKey): object => ({
  label,
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
});
