import { textOf } from "../../infra/http-client/json.ts";
import { providerBChannel } from "../../kernel/channels.ts";
import { type ChatChannelKind, type CheckSender, NoAnswer, unconfirmed } from "../channel.ts";
import { accountPath, credentialsOf } from "./account.ts";
import { providerBFiles } from "./files.ts";
import { readProviderBWebhook, withoutCustomer } from "./payload.ts";
import { providerBMessages } from "./send.ts";
import { providerBWebhookRoutes } from "./webhook.ts";

/** `platformId` and `accountId` must both be the account's id, because the account sends the messages. */
const checkAccount: CheckSender = async (read, _, sender) => {
  const { platformId, accountId } = sender;
  if (accountId !== platformId) return unconfirmed("accountId");
  const found = await read(`${accountPath(sender)}.json`, credentialsOf(sender));
  if (found === null) return unconfirmed("accessToken");
  if (textOf(found.sid) === undefined || textOf(found.status) === undefined) throw new NoAnswer();
  return found.sid === platformId && found.status === "active" ? "confirmed" : unconfirmed("platformId");
};

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
