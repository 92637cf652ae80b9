import { fields, textOf } from "../../infra/http-client/json.ts";
import type { ClaimedSender } from "../../messaging/public.ts";
import type { Claim, ReadPlatform, Verdict } from "../channel.ts";
import { NoAnswer, unconfirmed } from "../shared/claims.ts";
import { bearer } from "../shared/graph.ts";

export const claimedPage: Claim = (read, version, sender) => claimed(read, version, sender, "id");

/** A photo account is opened by the token of the page that it is linked to, and is then not that token's own id. */
export const claimedPhotoAccount: Claim = (read, version, sender) =>
  claimed(read, version, sender, "id,instagram_business_account");

async function claimed(
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
