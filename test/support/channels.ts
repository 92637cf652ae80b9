import type { BusinessFixture, SenderFixture } from "../../src/fixtures/businesses/business.ts";
import { pairPhones } from "../../src/fixtures/businesses/pair-phones.ts";
import { sandboxSendersOf } from "../../src/fixtures/businesses/platforms.ts";
import {
  type ChatChannelName,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../../src/kernel/channels.ts";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { request } from "./http.ts";
import { aBusiness, startWorld, type World } from "./world.ts";

/** The service's channel name for each channel name of the sandbox. */
export const providers = {
  cloud: cloudChannel,
  page: pageChannel,
  photo: photoChannel,
  qr: qrChannel,
  "provider-b": providerBChannel,
} as const satisfies Readonly<Record<CustomerChannel, ChatChannelName>>;
export const channelNames = Object.keys(providers) as CustomerChannel[];

/** The platform ids of the senders that `onEveryChannel` gives to a business. */
export const addressesOf = (businessId: number): Readonly<Record<CustomerChannel, string>> => ({
  cloud: `number-${businessId}`,
  page: `10400000000000${businessId}`,
  photo: `17840000000000${businessId}`,
  qr: `phone-${businessId}`,
  "provider-b": `AC${String(businessId).padStart(32, "0")}`,
});

/** The token of a business's sender on any channel but `cloud`. */
export const tokenOf = (businessId: number, channel: CustomerChannel): string => `${channel}-token-${businessId}`;

/** A small business with a sender on every channel. */
export function onEveryChannel(businessId: number, changes: Partial<BusinessFixture> = {}): BusinessFixture {
  const addresses = addressesOf(businessId);
  const otherSenders = (["page", "photo", "qr", "provider-b"] as const).map(
    (channel, index): SenderFixture => ({
      channel: providers[channel],
      platformId: addresses[channel],
      accountId: addresses[channel],
      phone: `5912100000${businessId}${index}`,
      token: tokenOf(businessId, channel),
    }),
  );
  return aBusiness(businessId, { otherSenders, ...changes });
}

/** An installation whose businesses have senders on all channels. */
interface ChannelPlace {
  /** The URL at which the platforms reach the service. */
  readonly api: string;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  sessionToken(userId: number): Promise<string>;
}

/** Registers the senders at the sandbox, which then sends webhooks to the service. */
export async function connectChannels(place: ChannelPlace, businesses: readonly BusinessFixture[]): Promise<void> {
  const { pages, qrInstances, providerB } = sandboxSendersOf(businesses, place.api);
  for (const page of pages) await place.control("POST", "/pages", page);
  for (const account of providerB) await place.control("POST", "/provider-b", account);
  for (const instance of qrInstances) await place.control("POST", "/qr-instances", instance);
  for (const { users } of businesses) {
    const authorization = `Bearer ${await place.sessionToken(users[0]?.id ?? 0)}`;
    await pairPhones(async (path) => {
      const { type, text } = await request(place.api + path, { headers: { authorization } });
      return { json: type === "application/json" ? JSON.parse(text) : null };
    });
  }
}

/** A world whose businesses have senders on all channels. */
export async function startChannelWorld(settings: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  const { businesses = [onEveryChannel(1), onEveryChannel(2)] } = settings;
  const world = await startWorld({ ...settings, businesses });
  try {
    await connectChannels(world, businesses);
    return world;
  } catch (error) {
    await world.stop();
    throw error;
  }
}
