import type { FileSources } from "../inbox/public.ts";
import type { Downloads } from "../infra/http-client/downloads.ts";
import type { HttpClient } from "../infra/http-client/http-client.ts";
import { type ChannelName, type ChatChannelName, channels } from "../kernel/channels.ts";
import type { Channel, Channels } from "../messaging/public.ts";
import type { ChannelKind, ChatChannelKind, OwnAddress } from "./channel.ts";
import { cloud } from "./cloud/cloud.ts";
import { page, photo } from "./pages/pages.ts";
import { providerB } from "./provider-b/provider-b.ts";
import { qr } from "./qr/qr.ts";
import type { GraphSettings } from "./shared/graph.ts";
import { sms } from "./sms/sms.ts";

export const chatChannelKinds = {
  [cloud.name]: cloud,
  [page.name]: page,
  [photo.name]: photo,
  [qr.name]: qr,
  [providerB.name]: providerB,
} as const satisfies { readonly [Name in ChatChannelName]: ChatChannelKind<Name> };

const kinds: { readonly [Name in ChannelName]: ChannelKind<Name> } = { ...chatChannelKinds, [sms.name]: sms };

export interface Platforms {
  readonly client: Pick<HttpClient, "request">;
  readonly messagingPlatform: {
    readonly url: string;
    readonly version: string;
    /** Both times are in milliseconds and apply to all channels. */
    readonly connectTimeoutMs: number;
    readonly timeoutMs: number;
  };
  /** URLs of the channels outside the messaging platform, by name. A channel without a URL is not configured. */
  readonly urls: Readonly<Record<string, string | undefined>>;
}

export interface ChannelsSettings extends Platforms {
  readonly address: OwnAddress;
  readonly observe: (channel: ChannelName, outcome: string) => void;
}

/** Null if the channel is not configured. */
export function settingsOf(name: ChannelName, { client, messagingPlatform, urls }: Platforms): GraphSettings | null {
  const { url, version, connectTimeoutMs: connectMs, timeoutMs: totalMs } = messagingPlatform;
  const baseUrl = (kinds[name].isOfPlatform ? url : urls[name]) || null;
  return baseUrl === null ? null : { client, baseUrl, version, timeouts: { connectMs, totalMs } };
}

/** The file source of each channel; null if the channel is not configured. */
export function fileSourcesOf(platforms: Platforms, downloads: Pick<Downloads, "open">): FileSources {
  const sources = Object.values(chatChannelKinds).map(({ name, receiving }) => {
    const settings = settingsOf(name, platforms);
    return [name, settings && receiving.files({ ...settings, downloads })] as const;
  });
  return Object.fromEntries(sources) as FileSources;
}

/** All channels. A send on a channel that is not configured is `not-sent`. */
export function channelsOf({ observe, address, ...platforms }: ChannelsSettings): Channels {
  const connected = channels.map((name) => {
    const settings = settingsOf(name, platforms);
    const channel = settings ? kinds[name].connect({ ...settings, address }) : unconfigured(name);
    return [name, observed(name, channel, observe)] as const;
  });
  return Object.fromEntries(connected) as Channels;
}

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
