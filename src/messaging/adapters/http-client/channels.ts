import type { HttpClient } from "../../../infra/http-client/http-client.ts";
import {
  type ChannelName,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../../../kernel/channels.ts";
import type { Channel } from "../../application/ports.ts";
import { CloudApi } from "./cloud-api.ts";
import { PageMessages } from "./page-messages.ts";
import { ProviderB } from "./provider-b.ts";
import { QrProvider } from "./qr-provider.ts";

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
}

/** Every way to customers. What is sent over one that is not configured is `not-sent`, and says so. */
export function channelsOf(settings: ChannelsSettings): Readonly<Record<ChannelName, Channel>> {
  const { client, messagingPlatform, qrProviderUrl, providerBUrl } = settings;
  const { url, version, connectTimeoutMs: connectMs, timeoutMs: sendMs } = messagingPlatform;
  const timeouts = { connectMs, sendMs, pageMs: sendMs, listMs: sendMs };
  const at = (name: ChannelName, baseUrl: string, connect: () => Channel): Channel =>
    baseUrl === "" ? unconfigured(name) : connect();
  const pages = () => new PageMessages({ client, baseUrl: url, version, timeouts });
  return {
    [cloudChannel]: at(cloudChannel, url, () => new CloudApi({ client, baseUrl: url, version, timeouts })),
    [pageChannel]: at(pageChannel, url, pages),
    [photoChannel]: at(photoChannel, url, pages),
    [qrChannel]: at(qrChannel, qrProviderUrl, () => new QrProvider({ client, baseUrl: qrProviderUrl, timeouts })),
    [providerBChannel]: at(
      providerBChannel,
      providerBUrl,
      () => new ProviderB({ client, baseUrl: providerBUrl, timeouts }),
    ),
  };
}

const unconfigured = (name: ChannelName): Channel => ({
  send: async () => ({ kind: "not-sent", reason: `no URL is configured for the channel ${name}` }),
});
