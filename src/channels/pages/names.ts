import { rootOf } from "../../infra/http-client/http-client.ts";
import { parse, textOf } from "../../infra/http-client/json.ts";
import { photoChannel } from "../../kernel/channels.ts";
import type { Sender } from "../../messaging/public.ts";
import { bearer, type GraphSettings } from "../shared/graph.ts";
import { beginning, longestName } from "../shared/json-fields.ts";

/** Photo accounts have no first name, and a field that does not exist fails the whole request. */
const asked = (channel: string): string => (channel === photoChannel ? "name,username" : "name,first_name,last_name");

/** Null if the platform gives no name; it does so for some customers only, and not always. Never rejects. */
export async function customerName(
  { client, baseUrl, version, timeouts }: GraphSettings,
  { channel, accessToken }: Sender,
  customer: string,
): Promise<string | null> {
  const outcome = await client.request({
    method: "GET",
    url: `${rootOf(baseUrl)}/${version}/${encodeURIComponent(customer)}?fields=${asked(channel)}`,
    headers: { accept: "application/json", ...bearer(accessToken) },
    timeouts: { connectMs: timeouts.connectMs, totalMs: timeouts.sendMs },
  });
  if (outcome.kind !== "answer" || outcome.status !== 200) return null;
  const { name, first_name: first, last_name: last, username } = parse(outcome.text);
  const whole = [first, last].flatMap((part) => textOf(part)?.trim() || []).join(" ");
  const told = (textOf(name)?.trim() ?? "") || whole || (textOf(username)?.trim() ?? "");
  return beginning(told, longestName) || null;
}
