import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { Sender } from "./ports.ts";

/** What somebody says that a sender is. */
export type ClaimedSender = Pick<Sender, "platformId" | "accountId" | "phone" | "accessToken"> & {
  readonly channel: ChatChannelName;
};

/** An instance as a sender of a business: another business may have it afterwards. */
export interface OwnedInstance {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

/** What platforms say of senders themselves. */
export interface SenderPlatforms {
  /**
   * Whether the platform says that the token opens the sender, and that account and phone are its own where news are
   * matched by them. Otherwise the first thing that it does not confirm, `channel` where none is configured; `away`: it
   * did not answer, or not so that it could be understood.
   */
  look(sender: ClaimedSender): Promise<"confirmed" | "away" | { readonly unconfirmed: keyof ClaimedSender }>;
  /** Has an instance tell us of its connection, and connect: the PNG of the code that a phone has to see. Null where the provider gave none. */
  pair(instance: OwnedInstance & Pick<Sender, "accessToken">): Promise<Uint8Array | "connected" | null>;
}
