import type { HttpClient } from "../../../infra/http-client/http-client.ts";
import {
  type ChannelName,
  channels,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
  smsChannel,
} from "../../../kernel/channels.ts";
import type { Channel, Channels } from "../../application/sends/ports.ts";
import { CloudApi, type CloudApiSettings } from "./cloud-api.ts";
import { PageMessages } from "./page-messages.ts";
import { ProviderB } from "./provider-b.ts";
import { QrProvider } from "./qr-provider.ts";
import { SmsProvider } from "./sms-provider.ts";

/** An empty URL: that channel is not configured. */
export interface ChannelsSettings {
  readonly client: Pick<HttpClient, "request">;
  readonly messagingPlatform: {
    readonly url: string;
    readonly version: string;
    /** Milliseconds; of every channel. */
    readonly connectTimeoutMs: number;
    readonly timeoutMs: number;
  };
  readonly qrProviderUrl: string;
  readonly providerBUrl: string;
  readonly smsProviderUrl: string;
  /** Hears what came of each message. */
  readonly observe: (channel: ChannelName, outcome: string) => void;
}

/** Every way to customers. What is sent over one that is not configured is `not-sent`, and says so. */
export function channelsOf(settings: ChannelsSettings): Channels {
  const { client, messagingPlatform, qrProviderUrl, providerBUrl, smsProviderUrl, observe } = settings;
  const { url, version, connectTimeoutMs: connectMs, timeoutMs: sendMs } = messagingPlatform;
  const at = (baseUrl: string) => ({
    client,
    baseUrl,
    version,
    timeouts: { connectMs, sendMs, pageMs: sendMs, listMs: sendMs },
  });
  const ways: Readonly<
    Record<ChannelName, readonly [baseUrl: string, connect: (settings: CloudApiSettings) => Channel]>
  > = {
    [cloudChannel]: [url, (settings) => new CloudApi(settings)],
    [pageChannel]: [url, (settings) => new PageMessages(settings)],
    [photoChannel]: [url, (settings) => new PageMessages(settings)],
    [qrChannel]: [qrProviderUrl, (settings) => new QrProvider(settings)],
    [providerBChannel]: [providerBUrl, (settings) => new ProviderB(settings)],
    [smsChannel]: [smsProviderUrl, (settings) => new SmsProvider(settings)],
  };
  const connected = channels.map((name) => {
    const [baseUrl, connect] = ways[name];
    return [name, observed(name, baseUrl === "" ? unconfigured(name) : connect(at(baseUrl)), observe)] as const;
  });
  return Object.fromEntries(connected) as Channels;
}

const observed = (name: ChannelName, channel: Channel, observe: ChannelsSettings["observe"]): Channel => ({
  send: async (sender, message) => {
    const outcome = await channel.send(sender, message);
    observe(name, outcome.kind);
    return outcome;
  },
});

const unconfigured = (name: ChannelName): Channel => ({
  send: async () => ({ kind: "not-sent", reason: `no URL is configured for the channel ${name}` }),
});
