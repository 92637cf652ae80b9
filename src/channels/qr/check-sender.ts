import { fields, textOf } from "../../infra/http-client/json.ts";
import type { ClaimedSender } from "../../messaging/public.ts";
import type { ReadPlatform, Verdict } from "../channel.ts";
import { NoAnswer, unconfirmed } from "../shared/sender-check.ts";

export async function checkInstance(
  read: ReadPlatform,
  _: string,
  { platformId, accessToken }: ClaimedSender,
): Promise<Verdict> {
  const found = await read(`/instance/connectionState/${encodeURIComponent(platformId)}`, { apikey: accessToken });
  if (found === null) return unconfirmed("accessToken");
  const { state, instanceName = platformId } = fields(found.instance);
  if (textOf(state) === undefined) throw new NoAnswer();
  return instanceName === platformId ? "confirmed" : unconfirmed("platformId");
}
