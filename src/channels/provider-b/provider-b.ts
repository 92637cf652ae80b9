import { providerBChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind } from "../channel.ts";
import { checkAccount } from "./check-sender.ts";
import { providerBFiles } from "./files.ts";
import { readProviderBWebhook, withoutCustomer } from "./payload.ts";
import { providerBMessages } from "./send.ts";
import { providerBWebhookRoutes } from "./webhook.ts";

export const providerB: ChatChannelKind<typeof providerBChannel> = {
  name: providerBChannel,
  isOfPlatform: false,
  connect: providerBMessages,
  checkSender: checkAccount,
  receiving: {
    routes: providerBWebhookRoutes,
    read: readProviderBWebhook,
    without: withoutCustomer,
    files: providerBFiles,
  },
};
