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

/** The channels by the names that the sandbox has for them. */
export const providers = {
  cloud: cloudChannel,
  page: pageChannel,
  photo: photoChannel,
  qr: qrChannel,
  "provider-b": providerBChannel,
} as const satisfies Readonly<Record<CustomerChannel, ChatChannelName>>;
export const channelNames = Object.keys(providers) as CustomerChannel[];

/** What a business of `onEveryChannel` is called on each channel. */
export const addressesOf = (businessId: number): Readonly<Record<CustomerChannel, string>> => ({
  cloud: `number-${businessId}`,
  page: `10400000000000${businessId}`,
  photo: `17840000000000${businessId}`,
  qr: `phone-${businessId}`,
  "provider-b": `AC${String(businessId).padStart(32, "0")}`,
});

/** Of a business's senders on the channels besides the cloud channel. */
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

/** What a place of businesses with senders on every channel can be asked. */
export interface ChannelPlace {
  /** The service, as the platforms reach it. */
  readonly api: string;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** A session of the user. */
  sessionToken(userId: number): Promise<string>;
}

/** Makes the businesses' senders known to the sandbox, which then tells the service what happens there. */
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

/** A world whose businesses have senders on every channel, and hear what happens there. */
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
