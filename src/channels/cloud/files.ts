import type { FileAnswer, FileSource } from "../../inbox/public.ts";
import { rootOf } from "../../infra/http-client/http-client.ts";
import { parse, textOf } from "../../infra/http-client/json.ts";
import type { Sender } from "../../messaging/public.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";
import { bearer, graphError, graphRead } from "../shared/graph.ts";
import { waitIn } from "../shared/refusals.ts";

/** The platform's own file hosts; they require the number's token. */
const platformHosts = /\.(fbsbx\.com|facebook\.com|whatsapp\.net)$/;
/** Error code: the platform does not know the file, or no longer has it. */
const unknownObject = 100;

/** The platform's download URL is valid for 5 minutes, so each attempt asks for a new one. */
export function cloudFiles(settings: FileSettings): FileSource {
  const home = rootOf(settings.baseUrl);
  return {
    open: async (sender, place, signal) => {
      if (place.at !== "id") return { kind: "gone", reason: "the platform names files by their ids" };
      const address = await addressOf(settings, sender, place.id);
      if (typeof address !== "string") return address;
      const credentials = isOfPlatform(address, home) ? bearer(sender.accessToken) : {};
      return fileAnswer(await settings.downloads.open({ url: address, home, credentials, signal }));
    },
  };
}

async function addressOf(settings: FileSettings, sender: Sender, id: string): Promise<string | FileAnswer> {
  const path = `${encodeURIComponent(id)}?phone_number_id=${encodeURIComponent(sender.platformId)}`;
  const outcome = await graphRead(settings, path, sender);
  if (outcome.kind !== "answer") return { kind: "later", reason: outcome.reason };
  const body = parse(outcome.text);
  const address = textOf(body.url);
  if (outcome.status === 200 && address !== undefined) return address;
  const code = graphError(body)?.code;
  const reason = `the platform answered ${outcome.status}${code === undefined ? "" : `, code ${code}`}`;
  if (outcome.status === 404 || code === unknownObject) return { kind: "gone", reason };
  return { kind: "later", reason, ...waitIn(outcome.headers) };
}

function isOfPlatform(address: string, home: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname } = new URL(address);
  return origin === new URL(home).origin || (protocol === "https:" && platformHosts.test(hostname));
}
