import type { ChatChannelName } from "../../kernel/channels.ts";

/** The platform's latest report about the account that owns a sender. */
interface AccountReport {
  /** The platform's name of the event, such as `ACCOUNT_RESTRICTION`. */
  readonly event: string;
  /** The platform's own fields. */
  readonly details: object;
  /** A timestamp as PostgreSQL writes it. */
  readonly at: string;
}

/** A phone number, page, photo account or QR instance that a business sends messages from. */
export interface ManagedSender {
  readonly name: string | null;
  readonly provider: ChatChannelName;
  readonly platformId: string;
  /** The platform's id of the account that owns the sender. */
  readonly accountId: string;
  /** Digits only. */
  readonly phone: string;
  readonly messagesPerSecond: number;
  /** A change with null keeps the stored token. Answers never contain the token. */
  readonly token: string | null;
  /** This field and the next two come from the platform's latest reports. Clients cannot write them. */
  readonly state?: string | null;
  readonly quality?: string | null;
  readonly accountReport?: AccountReport | null;
}
