/** Who does something that the audit tells, and from where. */
export interface DoneBy {
  readonly kind: "user" | "key" | "system";
  /** Null for the system. */
  readonly id: number | null;
  readonly address: string;
}

/** What an operator does at the command line. */
export const bySystem: DoneBy = { kind: "system", id: null, address: "" };

/** One change as the audit keeps it. */
export interface Audited {
  readonly resource: string;
  readonly recordId: number;
  readonly change: "created" | "changed" | "removed";
  /** Without secrets; null before it was made and after it was removed, and where nothing of it is kept. */
  readonly before: object | null;
  readonly after: object | null;
}

/** The resource, in the audit, of codes that were asked for and of phones that were paired by them, by the sender's id. */
export const senderPairings = "sender-pairings";

/** What stands there. */
export interface SenderPairing {
  readonly platformId: string;
  readonly state: "connecting" | "open";
}

/** Writes into the audit of a business, in the transaction that makes the changes. */
export type NoteInAudit = (businessId: number, by: DoneBy, changes: readonly Audited[]) => Promise<void>;
