import { qrChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind } from "../channel.ts";
import { checkInstance } from "./check-sender.ts";
import { qrFiles } from "./files.ts";
import { withoutCustomer } from "./kept.ts";
import { readQrWebhook } from "./payload.ts";
import { qrProvider } from "./send.ts";
import { qrWebhookRoutes } from "./webhook.ts";

export const qr: ChatChannelKind<typeof qrChannel> = {
  name: qrChannel,
  isOfPlatform: false,
  connect: qrProvider,
  checkSender: checkInstance,
  receiving: { routes: qrWebhookRoutes, read: readQrWebhook, without: withoutCustomer, files: qrFiles },
};
