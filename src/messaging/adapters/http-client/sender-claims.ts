import { type Fields, fields, textOf } from "../../../infra/http-client/json.ts";
import {
  type ChatChannelName,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../../../kernel/channels.ts";
import type { ClaimedSender, SenderPlatforms } from "../../application/sends/sender-platforms.ts";
import { bearer, cursorOf } from "./graph.ts";

type Verdict = Awaited<ReturnType<SenderPlatforms["look"]>>;

/**
 * Reads from the channel's platform. Null for a refusal: the token does not open it, or it is not there. Rejects with
 * `NoAnswer` where nothing can be made of what came back, or nothing came.
 */
type Read = (path: string, headers: Readonly<Record<string, string>>) => Promise<Fields | null>;

export class NoAnswer extends Error {}

/** What each channel's platform is asked of a sender, by what it is matched with when the platform tells of it. */
export const claims: Readonly<
  Record<ChatChannelName, (read: Read, version: string, sender: ClaimedSender) => Promise<Verdict>>
> = {
  [cloudChannel]: claimedNumber,
  [pageChannel]: (read, version, sender) => claimedPage(read, version, sender, "id"),
  // A photo account is opened by the token of the page that it is linked to, and is then not that token's own id.
  [photoChannel]: (read, version, sender) => claimedPage(read, version, sender, "id,instagram_business_account"),
  [qrChannel]: claimedInstance,
  [providerBChannel]: claimedAccount,
};

const unconfirmed = (field: keyof ClaimedSender): Verdict => ({ unconfirmed: field });

const pageSize = 100;
/** Of numbers: an account has at most some hundreds. */
const mostPages = 20;

/** A number's news name its id, those of its quality its account and phone, those of templates its account. */
async function claimedNumber(read: Read, version: string, sender: ClaimedSender): Promise<Verdict> {
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
}

async function claimedPage(
  read: Read,
  version: string,
  { platformId, accessToken }: ClaimedSender,
  asked: string,
): Promise<Verdict> {
  const own = await read(`/${version}/me?fields=${asked}`, bearer(accessToken));
  if (own === null) return unconfirmed("accessToken");
  if (textOf(own.id) === undefined) throw new NoAnswer();
  const opened = [own.id, fields(own.instagram_business_account).id];
  return opened.includes(platformId) ? "confirmed" : unconfirmed("accessToken");
}

async function claimedInstance(read: Read, _: string, { platformId, accessToken }: ClaimedSender): Promise<Verdict> {
  const found = await read(`/instance/connectionState/${encodeURIComponent(platformId)}`, { apikey: accessToken });
  if (found === null) return unconfirmed("accessToken");
  const { state, instanceName = platformId } = fields(found.instance);
  if (textOf(state) === undefined) throw new NoAnswer();
  return instanceName === platformId ? "confirmed" : unconfirmed("platformId");
}

/** Its messages leave from the account, whose id is both ids of the sender. */
async function claimedAccount(read: Read, _: string, sender: ClaimedSender): Promise<Verdict> {
  const { platformId, accountId, accessToken } = sender;
  if (accountId !== platformId) return unconfirmed("accountId");
  const authorization = `Basic ${Buffer.from(`${platformId}:${accessToken}`).toString("base64")}`;
  const found = await read(`/2010-04-01/Accounts/${encodeURIComponent(platformId)}.json`, { authorization });
  if (found === null) return unconfirmed("accessToken");
  if (textOf(found.sid) === undefined || textOf(found.status) === undefined) throw new NoAnswer();
  return found.sid === platformId && found.status === "active" ? "confirmed" : unconfirmed("platformId");
}
