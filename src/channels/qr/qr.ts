import { qrChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind } from "../channel.ts";
import { claimedInstance } from "./claim.ts";
import { qrFiles } from "./files.ts";
import { withoutCustomer } from "./kept.ts";
import { readQrWebhook } from "./payload.ts";
import { qrProvider } from "./send.ts";
import { qrWebhookRoutes } from "./webhook.ts";

/** Phones that a provider has paired by QR code. */
export const qr: ChatChannelKind<typeof qrChannel> = {
  name: qrChannel,
  isOfPlatform: false,
  connect: qrProvider,
  claim: claimedInstance,
  receiving: { routes: qrWebhookRoutes, read: readQrWebhook, without: withoutCustomer, files: qrFiles },
};
