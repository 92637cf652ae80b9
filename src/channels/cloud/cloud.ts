import { fields, textOf } from "../../infra/http-client/json.ts";
import { cloudChannel } from "../../kernel/channels.ts";
import { type ChatChannelKind, type CheckSender, NoAnswer, unconfirmed } from "../channel.ts";
import { bearer, cursorOf } from "../shared/graph.ts";
import { cloudFiles } from "./files.ts";
import { withoutOwnerOf } from "./forget.ts";
import { readCloudWebhook } from "./payload.ts";
import { cloudMessages } from "./send.ts";
import { cloudWebhookRoutes } from "./webhook.ts";

const pageSize = 100;
/** Pages of numbers. An account has at most a few hundred numbers. */
const mostPages = 20;

/** Checks id, phone and account, because webhooks name a number by any of these. */
const checkNumber: CheckSender = async (read, version, sender) => {
  const { platformId, accountId, phone, accessToken } = sender;
  const opening = bearer(accessToken);
  const number = await read(`/${version}/${encodeURIComponent(platformId)}?fields=id,display_phone_number`, opening);
  if (number === null) return unconfirmed("accessToken");
  const shown = textOf(number.display_phone_number)?.replaceAll(/\D/g, "");
  if (number.id !== platformId || !shown) throw new NoAnswer();
  if (shown !== phone) return unconfirmed("phone");

  const account = `/${version}/${encodeURIComponent(accountId)}/phone_numbers?fields=id&limit=${pageSize}`;
  let after = "";
  for (let page = 1; page <= mostPages; page += 1) {
    const numbers = await read(account + after, opening);
    if (numbers === null) return unconfirmed("accountId");
    if (!Array.isArray(numbers.data)) throw new NoAnswer();
    if (numbers.data.some((each: unknown) => fields(each).id === platformId)) return "confirmed";
    const { paging } = numbers;
    const cursor = fields(paging).next ? cursorOf(fields(paging)) : undefined;
    if (cursor === undefined) break;
    after = `&after=${encodeURIComponent(cursor)}`;
  }
  return unconfirmed("accountId");
};

/** The channel of phone numbers that are connected through the platform's cloud business API. */
export const cloud: ChatChannelKind<typeof cloudChannel> = {
  name: cloudChannel,
  isOfPlatform: true,
  connect: cloudMessages,
  checkSender: checkNumber,
  receiving: { routes: cloudWebhookRoutes, read: readCloudWebhook, without: withoutOwnerOf, files: cloudFiles },
};
