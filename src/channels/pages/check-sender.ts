import { fields, textOf } from "../../infra/http-client/json.ts";
import type { ClaimedSender } from "../../messaging/public.ts";
import type { CheckSender, ReadPlatform, Verdict } from "../channel.ts";
import { bearer } from "../shared/graph.ts";
import { NoAnswer, unconfirmed } from "../shared/sender-check.ts";

export const checkPage: CheckSender = (read, version, sender) => check(read, version, sender, "id");

/** A photo account is checked with the token of its linked page, so the token's own id is the page's. */
export const checkPhotoAccount: CheckSender = (read, version, sender) =>
  check(read, version, sender, "id,instagram_business_account");

async function check(
  read: ReadPlatform,
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
