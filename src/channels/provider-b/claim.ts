import { textOf } from "../../infra/http-client/json.ts";
import type { ClaimedSender } from "../../messaging/public.ts";
import type { ReadPlatform, Verdict } from "../channel.ts";
import { NoAnswer, unconfirmed } from "../shared/claims.ts";
import { accountPath, credentialsOf } from "./account.ts";

/** Its messages leave from the account, whose id is both ids of the sender. */
export async function claimedAccount(read: ReadPlatform, _: string, sender: ClaimedSender): Promise<Verdict> {
  const { platformId, accountId } = sender;
  if (accountId !== platformId) return unconfirmed("accountId");
  const found = await read(`${accountPath(sender)}.json`, credentialsOf(sender));
  if (found === null) return unconfirmed("accessToken");
  if (textOf(found.sid) === undefined || textOf(found.status) === undefined) throw new NoAnswer();
  return found.sid === platformId && found.status === "active" ? "confirmed" : unconfirmed("platformId");
}
