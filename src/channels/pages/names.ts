import { parse, textOf } from "../../infra/http-client/json.ts";
import { photoChannel } from "../../kernel/channels.ts";
import type { Sender } from "../../messaging/public.ts";
import { type GraphSettings, graphRead } from "../shared/graph.ts";
import { beginning, longestName } from "../shared/json-fields.ts";

/** Photo accounts have no first name, and a field that does not exist fails the whole request. */
const asked = (channel: string): string => (channel === photoChannel ? "name,username" : "name,first_name,last_name");

/** Null if the platform gives no name; it does so for some customers only, and not always. Never rejects. */
export async function customerName(settings: GraphSettings, sender: Sender, customer: string): Promise<string | null> {
  const { connectMs, sendMs: totalMs } = settings.timeouts;
  const path = `${encodeURIComponent(customer)}?fields=${asked(sender.channel)}`;
  const outcome = await graphRead(settings, path, sender, { connectMs, totalMs });
  if (outcome.kind !== "answer" || outcome.status !== 200) return null;
  const { name, first_name: first, last_name: last, username } = parse(outcome.text);
  const whole = [first, last].flatMap((part) => textOf(part)?.trim() || []).join(" ");
  const told = (textOf(name)?.trim() ?? "") || whole || (textOf(username)?.trim() ?? "");
  return beginning(told, longestName) || null;
}
