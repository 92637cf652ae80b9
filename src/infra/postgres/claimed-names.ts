/**
 * Kinds of names by which the business of a request is found. The name of a key, session or invitation is its digest in
 * hexadecimal. `senderName` makes the name of a sender.
 */
export const nameKinds = ["key", "session", "invitation", "email", "sender", "media"] as const;
export type NameKind = (typeof nameKinds)[number];

/** Keeps names unique in an installation with several cells. With one cell, unique indexes do that. */
export interface Names {
  /**
   * Call it before the names are written. Returns the names that another business has. If the transaction fails, its
   * claims are undone.
   */
  claim(businessId: number, kind: NameKind, names: readonly string[], endsAt?: Date): Promise<readonly string[]>;
  /** Frees the names: outside a transaction at once, inside one after its commit. */
  release(businessId: number, kind: NameKind, names: readonly string[]): Promise<void>;
}

interface Naming {
  /** Undefined with one cell. */
  readonly names?: Names | undefined;
}

export const claimNames = async (
  queries: Naming,
  businessId: number,
  kind: NameKind,
  names: readonly string[],
  endsAt?: Date,
): Promise<readonly string[]> =>
  queries.names && names.length > 0 ? queries.names.claim(businessId, kind, names, endsAt) : [];

export const releaseNames = async (
  queries: Naming,
  businessId: number,
  kind: NameKind,
  names: readonly string[],
): Promise<void> => {
  if (names.length > 0) await queries.names?.release(businessId, kind, names);
};

export const hexOf = (digest: Buffer): string => digest.toString("hex");

export const senderName = (channel: string, platformId: string): string => `${channel} ${platformId}`;
