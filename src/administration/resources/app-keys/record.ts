import type { Scope } from "../../../kernel/scopes.ts";

export interface AppKey {
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null;
  /** ISO 8601, to the hour; null for never. Only read. */
  readonly lastUsedAt?: string | null;
}
