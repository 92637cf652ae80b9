import { providerBChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind } from "../channel.ts";
import { claimedAccount } from "./claim.ts";
import { providerBFiles } from "./files.ts";
import { readProviderBWebhook, withoutCustomer } from "./payload.ts";
import { providerBMessages } from "./send.ts";
import { providerBWebhookRoutes } from "./webhook.ts";

/** Numbers at ProviderB. */
export const providerB: ChatChannelKind<typeof providerBChannel> = {
  name: providerBChannel,
  isOfPlatform: false,
  connect: providerBMessages,
  claim: claimedAccount,
  receiving: {
    routes: providerBWebhookRoutes,
    read: readProviderBWebhook,
    without: withoutCustomer,
    files: providerBFiles,
  },
};
