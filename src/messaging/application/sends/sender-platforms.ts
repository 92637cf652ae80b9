import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { Sender } from "./ports.ts";

/** A sender as a business describes it, before its platform confirmed it. */
export type ClaimedSender = Pick<Sender, "platformId" | "accountId" | "phone" | "accessToken"> & {
  readonly channel: ChatChannelName;
};

/** An instance and the business that has it at present. Later another business may have the same instance. */
export interface OwnedInstance {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

/** Questions about senders that their platforms answer. */
export interface SenderPlatforms {
  /**
   * Checks that the token gives access to the sender, and the account and phone on platforms whose webhooks use them.
   * `unconfirmed` is the first field that the platform does not confirm, or `channel` if the installation is not
   * connected to it. `away` means that there was no answer, or that it could not be read.
   */
  look(sender: ClaimedSender): Promise<"confirmed" | "away" | { readonly unconfirmed: keyof ClaimedSender }>;
  /**
   * Registers our webhook for the instance and starts its pairing. Resolves to the QR code as a PNG, or to null if the
   * provider gave none.
   */
  pair(instance: OwnedInstance & Pick<Sender, "accessToken">): Promise<Uint8Array | "connected" | null>;
}
