import { textOf } from "../../infra/http-client/json.ts";
import type { ClaimedSender } from "../../messaging/public.ts";
import type { ReadPlatform, Verdict } from "../channel.ts";
import { NoAnswer, unconfirmed } from "../shared/sender-check.ts";
import { accountPath, credentialsOf } from "./account.ts";

/** Both ids of the sender must be the account's, because messages are sent by the account. */
export async function checkAccount(read: ReadPlatform, _: string, sender: ClaimedSender): Promise<Verdict> {
  const { platformId, accountId } = sender;
  if (accountId !== platformId) return unconfirmed("accountId");
  const found = await read(`${accountPath(sender)}.json`, credentialsOf(sender));
  if (found === null) return unconfirmed("accessToken");
  if (textOf(found.sid) === undefined || textOf(found.status) === undefined) throw new NoAnswer();
  return found.sid === platformId && found.status === "active" ? "confirmed" : unconfirmed("platformId");
}
