import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { Sender } from "./ports.ts";

/** What a business states about a sender. The platform has not confirmed it yet. */
export type ClaimedSender = Pick<Sender, "platformId" | "accountId" | "phone" | "accessToken"> & {
  readonly channel: ChatChannelName;
};

/** An instance and the business that has it at present. Later another business may have the same instance. */
export interface OwnedInstance {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

/** Checks senders at their platforms, and pairs instances at their provider. */
export interface SenderPlatforms {
  /**
   * Checks that the token gives access to the sender. If the platform's webhooks use the account or the phone, checks
   * these too. `unconfirmed` is the first field that the platform does not confirm, or `channel` if the installation is
   * not connected to the platform. `away` means that the platform gave no answer, a temporary error, or an answer that
   * could not be read.
   */
  look(sender: ClaimedSender): Promise<"confirmed" | "away" | { readonly unconfirmed: keyof ClaimedSender }>;
  /**
   * Registers our webhook for the instance and starts its pairing. Resolves to the QR code as a PNG, to `connected` if
   * the instance is paired already, or to null if the provider gave no code.
   */
  pair(instance: OwnedInstance & Pick<Sender, "accessToken">): Promise<Uint8Array | "connected" | null>;
}
