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
import { cloudMessages } from "./cloud-api.ts";
import type { GraphSettings } from "./graph.ts";
import { pageMessages } from "./page-messages.ts";
import { providerB } from "./provider-b.ts";
import { qrProvider } from "./qr-provider.ts";
import { smsProvider } from "./sms-provider.ts";

export interface ChannelsSettings {
  readonly client: Pick<HttpClient, "request">;
  readonly messagingPlatform: {
    readonly url: string;
    readonly version: string;
    /** Milliseconds; of every channel. */
    readonly connectTimeoutMs: number;
    readonly timeoutMs: number;
  };
  /** Of channels that are elsewhere; without one, or with an empty one, the channel is not configured. */
  readonly urls: Readonly<Record<string, string | undefined>>;
  /** Hears what came of each message. */
  readonly observe: (channel: ChannelName, outcome: string) => void;
}

/** Every way to customers. What is sent over one that is not configured is `not-sent`, and says so. */
export function channelsOf({ client, messagingPlatform, urls, observe }: ChannelsSettings): Channels {
  const { url, version, connectTimeoutMs: connectMs, timeoutMs: sendMs } = messagingPlatform;
  const connected = channels.map((name) => {
    const baseUrl = (platformChannels.includes(name) ? url : urls[name]) || null;
    const channel = baseUrl
      ? ways[name]({ client, baseUrl, version, timeouts: { connectMs, sendMs } })
      : unconfigured(name);
    return [name, observed(name, channel, observe)] as const;
  });
  return Object.fromEntries(connected) as Channels;
}

const ways: Readonly<Record<ChannelName, (settings: GraphSettings) => Channel>> = {
  [cloudChannel]: cloudMessages,
  [pageChannel]: pageMessages,
  [photoChannel]: pageMessages,
  [qrChannel]: qrProvider,
  [providerBChannel]: providerB,
  [smsChannel]: smsProvider,
};

/** Those of the messaging platform itself. */
const platformChannels: readonly ChannelName[] = [cloudChannel, pageChannel, photoChannel];

const observed = (name: ChannelName, channel: Channel, observe: ChannelsSettings["observe"]): Channel => ({
  ...channel,
  send: async (sender, message) => {
    const outcome = await channel.send(sender, message);
    observe(name, outcome.kind);
    return outcome;
  },
});

const unconfigured = (name: ChannelName): Channel => ({
  send: async () => ({ kind: "not-sent", reason: `no URL is configured for the channel ${name}` }),
});
