import { type HttpClient, rootOf } from "../../../infra/http-client/http-client.ts";
import { fields, parse, textOf } from "../../../infra/http-client/json.ts";
import { type ChatChannelName, cloudChannel, qrChannel } from "../../../kernel/channels.ts";
import type { SenderPlatforms } from "../../application/sends/sender-platforms.ts";
import { bearer } from "./graph.ts";

interface Settings {
  readonly client: Pick<HttpClient, "request">;
  readonly messagingPlatform: { readonly url: string; readonly version: string; readonly connectTimeoutMs: number };
  /** By channel; without one the channel is not configured. */
  readonly urls: Readonly<Record<string, string | undefined>>;
  /** Where the provider of paired phones is to tell of an instance, and what it is to prove itself with. */
  readonly webhookOf: (instance: string) => { readonly url: string; readonly secret: string };
}

/** What the provider tells of. */
const told = ["CONNECTION_UPDATE"];

/** Somebody waits for it. */
const longestMs = 10_000;
/** Characters; a code is some thousands. */
const largestCode = 1_000_000;
const pngBegins = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

type Opened = Parameters<SenderPlatforms["pair"]>[0];

/** Asks the cloud platform for its numbers, and the provider of paired phones for its instances. */
export class HttpSenderPlatforms implements SenderPlatforms {
  constructor(private readonly settings: Settings) {}

  async look(channel: ChatChannelName, { platformId, accessToken }: Opened) {
    const { messagingPlatform, urls } = this.settings;
    const id = encodeURIComponent(platformId);
    if (channel === cloudChannel) {
      const { url, version } = messagingPlatform;
      const found = await this.ask(`${rootOf(url)}/${version}/${id}?fields=id`, bearer(accessToken));
      return judged(found, ({ id: own }) => own === platformId);
    }
    const provider = urls[qrChannel];
    if (channel !== qrChannel || !provider) return "unasked";
    const found = await this.ask(`${rootOf(provider)}/instance/connectionState/${id}`, { apikey: accessToken });
    return judged(found, ({ instance }) => textOf(fields(instance).state) !== undefined);
  }

  async pair({ platformId, accessToken }: Opened): Promise<Uint8Array | "connected" | null> {
    const provider = this.settings.urls[qrChannel];
    if (!provider) return null;
    const id = encodeURIComponent(platformId);
    const key = { apikey: accessToken };
    const { url, secret } = this.settings.webhookOf(platformId);
    const headers = { authorization: `Bearer ${secret}` };
    const webhook = { enabled: true, url, headers, byEvents: false, base64: false, events: told };
    // First: the provider tells of what follows from the code.
    const set = await this.ask(`${rootOf(provider)}/webhook/set/${id}`, key, { webhook });
    if (set === null || set.status >= 300) return null;
    const found = await this.ask(`${rootOf(provider)}/instance/connect/${id}`, key);
    if (found?.status !== 200) return null;
    const { base64, instance } = parse(found.text);
    if (fields(instance).state === "open") return "connected";
    const written = textOf(base64) ?? "";
    if (written.length > largestCode) return null;
    const image = Buffer.from(written.replace(/^data:image\/png;base64,/, ""), "base64");
    return image.subarray(0, pngBegins.length).equals(pngBegins) ? image : null;
  }

  private async ask(url: string, headers: Readonly<Record<string, string>>, body?: object) {
    const outcome = await this.settings.client.request({
      method: body ? "POST" : "GET",
      url,
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      timeouts: { connectMs: this.settings.messagingPlatform.connectTimeoutMs, totalMs: longestMs },
    });
    return outcome.kind === "answer" ? outcome : null;
  }
}

function judged(
  found: { readonly status: number; readonly text: string } | null,
  isIt: (body: Readonly<Record<string, unknown>>) => boolean,
): "opened" | "refused" | "away" {
  if (found?.status === 200 && isIt(parse(found.text))) return "opened";
  const isRefusal = found !== null && found.status >= 400 && found.status < 500 && found.status !== 429;
  return isRefusal ? "refused" : "away";
}
