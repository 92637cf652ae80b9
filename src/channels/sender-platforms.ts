import { rootOf } from "../infra/http-client/http-client.ts";
import { fields, parse, textOf } from "../infra/http-client/json.ts";
import { qrChannel } from "../kernel/channels.ts";
import type { ClaimedSender, OwnedInstance, SenderPlatforms } from "../messaging/public.ts";
import { NoAnswer } from "./channel.ts";
import { chatChannelKinds, type Platforms, settingsOf } from "./channels.ts";
import { graphError } from "./shared/graph.ts";
import { platformRates, platformTrouble } from "./shared/refusals.ts";

interface Settings extends Platforms {
  /** The URL and the secret for the provider's webhooks about an instance. */
  readonly webhookOf: (instance: OwnedInstance) => { readonly url: string; readonly secret: string };
  /** Milliseconds for all requests about one sender; 10,000 by default, because a user waits for the answer. */
  readonly longestMs?: number;
}

/** Events that the provider is asked to send. */
const events = [
  "MESSAGES_UPSERT",
  "MESSAGES_UPDATE",
  "MESSAGES_EDITED",
  "MESSAGES_DELETE",
  "SEND_MESSAGE",
  "CONNECTION_UPDATE",
];

/** In characters of base64. The picture of a QR code has a few thousand. */
const largestCode = 1_000_000;
const pngBegins = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Error codes of temporary troubles. They do not tell whether the platform refuses the sender. */
const passing = [...platformRates, ...platformTrouble];

/** Checks senders at their platforms, and pairs phones at their provider. */
export class HttpSenderPlatforms implements SenderPlatforms {
  constructor(private readonly settings: Settings) {}

  async look(sender: ClaimedSender) {
    const { channel } = sender;
    const settings = settingsOf(channel, this.settings);
    if (!settings) return { unconfirmed: "channel" } as const;
    const deadline = this.deadline();
    const read = async (path: string, headers: Readonly<Record<string, string>>) => {
      const found = await this.ask(`${rootOf(settings.baseUrl)}${path}`, headers, deadline);
      if (found?.status === 200) return parse(found.text);
      if (found !== null && isRefusal(found)) return null;
      throw new NoAnswer();
    };
    try {
      return await chatChannelKinds[channel].checkSender(read, settings.version, sender);
    } catch (error) {
      if (error instanceof NoAnswer) return "away";
      throw error;
    }
  }

  async pair(instance: Parameters<SenderPlatforms["pair"]>[0]): Promise<Uint8Array | "connected" | null> {
    const provider = this.settings.urls[qrChannel];
    if (!provider) return null;
    const deadline = this.deadline();
    const id = encodeURIComponent(instance.platformId);
    const key = { apikey: instance.accessToken };
    const { url, secret } = this.settings.webhookOf(instance);
    const headers = { authorization: `Bearer ${secret}` };
    // The provider must not put files into webhooks: a large file could exceed the body limit and lose its message.
    const webhook = { enabled: true, url, headers, byEvents: false, base64: false, events };
    // The webhook is set first, so that the provider reports when a phone connects with the code.
    const set = await this.ask(`${rootOf(provider)}/webhook/set/${id}`, key, deadline, { webhook });
    if (set === null || set.status >= 300) return null;
    const found = await this.ask(`${rootOf(provider)}/instance/connect/${id}`, key, deadline);
    if (found?.status !== 200) return null;
    const { base64, instance: connection } = parse(found.text);
    if (fields(connection).state === "open") return "connected";
    const written = textOf(base64) ?? "";
    if (written.length > largestCode) return null;
    const image = Buffer.from(written.replace(/^data:image\/png;base64,/, ""), "base64");
    return image.subarray(0, pngBegins.length).equals(pngBegins) ? image : null;
  }

  private deadline(): number {
    return Date.now() + (this.settings.longestMs ?? 10_000);
  }

  private async ask(url: string, headers: Readonly<Record<string, string>>, deadline: number, body?: object) {
    const totalMs = deadline - Date.now();
    if (totalMs <= 0) return null;
    const outcome = await this.settings.client.request({
      method: body ? "POST" : "GET",
      url,
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      timeouts: { connectMs: Math.min(this.settings.messagingPlatform.connectTimeoutMs, totalMs), totalMs },
    });
    return outcome.kind === "answer" ? outcome : null;
  }
}

function isRefusal({ status, text }: { readonly status: number; readonly text: string }): boolean {
  const code = graphError(parse(text))?.code;
  if (code !== undefined && passing.includes(code)) return false;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
