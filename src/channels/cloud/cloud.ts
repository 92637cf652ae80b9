import { cloudChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind } from "../channel.ts";
import { checkNumber } from "./check-sender.ts";
import { cloudFiles } from "./files.ts";
import { withoutOwnerOf } from "./forget.ts";
import { readCloudWebhook } from "./payload.ts";
import { cloudMessages } from "./send.ts";
import { cloudWebhookRoutes } from "./webhook.ts";

/** Numbers of the platform's cloud business API. */
export const cloud: ChatChannelKind<typeof cloudChannel> = {
  name: cloudChannel,
  isOfPlatform: true,
  connect: cloudMessages,
  checkSender: checkNumber,
  receiving: { routes: cloudWebhookRoutes, read: readCloudWebhook, without: withoutOwnerOf, files: cloudFiles },
};
