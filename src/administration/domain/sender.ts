import type { ChatChannelName } from "../../kernel/channels.ts";

/** A number, page, account or instance that messages leave from. */
export interface ManagedSender {
  readonly name: string | null;
  readonly provider: ChatChannelName;
  /** The platform's id of it. */
  readonly platformId: string;
  /** The platform's id of the account that owns it. */
  readonly accountId: string;
  /** Digits. */
  readonly phone: string;
  readonly messagesPerSecond: number;
  /** Null where none is given: the sender keeps the one that it has. Never shown. */
  readonly token: string | null;
  /** What the platform last said of it. Only read. */
  readonly state?: string | null;
  readonly quality?: string | null;
}
