/** Who made an audited change, and from which address. */
export interface DoneBy {
  readonly kind: "user" | "key" | "system";
  /** Null for the system. */
  readonly id: number | null;
  readonly address: string;
}

/** The author of changes at the command line or in the background, such as a pairing that the platform reports. */
export const bySystem: DoneBy = { kind: "system", id: null, address: "" };

export interface AuditedChange {
  readonly resource: string;
  readonly recordId: number;
  readonly change: "created" | "changed" | "removed";
  /** The record before and after the change, without secrets. Null if there was none, or if the audit leaves it out. */
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * The `resource` of audited pairings of phones: a code was handed out, or the phone connected. `recordId` is the id of
 * the sender.
 */
export const senderPairings = "sender-pairings";

export interface SenderPairing {
  readonly platformId: string;
  readonly state: "connecting" | "open";
}

/** Writes into the audit of a business, in the transaction that makes the changes. */
export type NoteInAudit = (businessId: number, by: DoneBy, changes: readonly AuditedChange[]) => Promise<void>;
