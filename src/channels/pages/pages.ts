import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import type { ChatChannelKind, Receiving } from "../channel.ts";
import { checkPage, checkPhotoAccount } from "./check-sender.ts";
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

export const page: ChatChannelKind<typeof pageChannel> = {
  name: pageChannel,
  isOfPlatform: true,
  connect: pageMessages,
  checkSender: checkPage,
  receiving: receivingOn(pageChannel),
};

/** Direct messages of the photo app; the wire format is that of pages. */
export const photo: ChatChannelKind<typeof photoChannel> = {
  name: photoChannel,
  isOfPlatform: true,
  connect: pageMessages,
  checkSender: checkPhotoAccount,
  receiving: receivingOn(photoChannel),
};
