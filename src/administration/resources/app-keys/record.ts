import type { Scope } from "../../../kernel/scopes.ts";

export interface AppKey {
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601; null if it never expires. */
  readonly expiresAt: string | null;
  /** ISO 8601, rounded down to the hour; null if the key was never used. Clients cannot write this field. */
  readonly lastUsedAt?: string | null;
}
