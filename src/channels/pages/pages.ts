import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind, Receiving } from "../channel.ts";
import { claimedPage, claimedPhotoAccount } from "./claim.ts";
import { pageFiles } from "./files.ts";
import { withoutCustomer } from "./forget.ts";
import { customerName } from "./names.ts";
import { type PagesChannel, readPagesWebhook } from "./payload.ts";
import { pageMessages } from "./send.ts";
import { pagesWebhookRoutes } from "./webhook.ts";

const receivingOn = (channel: PagesChannel): Receiving => ({
  routes: pagesWebhookRoutes(channel),
  read: readPagesWebhook(channel),
  without: withoutCustomer,
  files: pageFiles,
  nameOf: customerName,
});

/** Messages of pages. */
export const page: ChatChannelKind<typeof pageChannel> = {
  name: pageChannel,
  isOfPlatform: true,
  connect: pageMessages,
  claim: claimedPage,
  receiving: receivingOn(pageChannel),
};

/** Direct messages of the photo app, in the same wire format. */
export const photo: ChatChannelKind<typeof photoChannel> = {
  name: photoChannel,
  isOfPlatform: true,
  connect: pageMessages,
  claim: claimedPhotoAccount,
  receiving: receivingOn(photoChannel),
};
