/**
 * What is presented by somebody of whom nobody knows yet whose they are. Keys, sessions and invitations go by their
 * digests in hexadecimal digits, a sender by its channel and its id there with a blank between them.
 */
export type NameKind = "key" | "session" | "invitation" | "email" | "sender" | "media";

/** The names of an installation whose businesses live in several cells. */
export interface Names {
  /**
   * Notes that these are the business's; those that another business has already come back. To be called before they are
   * written; claims of a transaction that fails are taken back.
   */
  claim(businessId: number, kind: NameKind, names: readonly string[], endsAt?: Date): Promise<readonly string[]>;
  /** Gives these up once the transaction has been committed. */
  release(businessId: number, kind: NameKind, names: readonly string[]): Promise<void>;
}

/** Queries of a cell have names to claim where there are several cells. */
interface Naming {
  readonly names?: Names | undefined;
}

const none: readonly string[] = [];

/** Where all businesses share one cell, its tables alone say whose a name is, and see to it that it is no other's. */
export const claimNames = async (
  queries: Naming,
  businessId: number,
  kind: NameKind,
  names: readonly string[],
  endsAt?: Date,
): Promise<readonly string[]> =>
  queries.names && names.length > 0 ? queries.names.claim(businessId, kind, names, endsAt) : none;

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
