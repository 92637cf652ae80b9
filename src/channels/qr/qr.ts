import { fields, textOf } from "../../infra/http-client/json.ts";
import { qrChannel } from "../../kernel/channels.ts";
import { type ChatChannelKind, type CheckSender, NoAnswer, unconfirmed } from "../channel.ts";
import { qrFiles } from "./files.ts";
import { withoutCustomer } from "./kept.ts";
import { readQrWebhook } from "./payload.ts";
import { qrProvider } from "./send.ts";
import { qrWebhookRoutes } from "./webhook.ts";

const checkInstance: CheckSender = async (read, _, { platformId, accessToken }) => {
  const found = await read(`/instance/connectionState/${encodeURIComponent(platformId)}`, { apikey: accessToken });
  if (found === null) return unconfirmed("accessToken");
  const { state, instanceName = platformId } = fields(found.instance);
  if (textOf(state) === undefined) throw new NoAnswer();
  return instanceName === platformId ? "confirmed" : unconfirmed("platformId");
};

export const qr: ChatChannelKind<typeof qrChannel> = {
  name: qrChannel,
  isOfPlatform: false,
  connect: qrProvider,
  checkSender: checkInstance,
  receiving: { routes: qrWebhookRoutes, read: readQrWebhook, without: withoutCustomer, files: qrFiles },
};
