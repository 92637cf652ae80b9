import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { pageChannel, photoChannel } from "../../src/kernel/channels.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

const pageId = "104000000000001";
const photoId = "178400000000001";

const sendersOf = (id: number) => [
  { channel: pageChannel, platformId: `${pageId}${id}`, token: `page-token-${id}` } as const,
  { channel: photoChannel, platformId: `${photoId}${id}`, token: `photo-token-${id}` } as const,
];

const withPages = (id: number): BusinessFixture =>
  aBusiness(id, {
    otherSenders: sendersOf(id).map((sender) => ({ ...sender, accountId: "", phone: "59120000001" })),
  });

/** The page and the photo account of business 1. */
export const accounts = { page: `${pageId}1`, photo: `${photoId}1` } as const;
export type Place = keyof typeof accounts;

/** Starts a world with businesses 1 and 2. Each has a page and a photo account, which the sandbox also knows. */
export async function startWithPages(settings: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  const world = await startWorld({ businesses: [withPages(1), withPages(2)], ...settings });
  for (const { platformId, ...page } of [...sendersOf(1), ...sendersOf(2)]) {
    await world.control("POST", "/pages", { pageId: platformId, ...page });
  }
  return world;
}
