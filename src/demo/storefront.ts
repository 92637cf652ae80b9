import type { ThreadFixture } from "../fixtures/businesses/business.ts";
import type { Place, ShopFixture } from "../fixtures/businesses/shop.ts";
import { hourMs, minuteMs } from "../kernel/instants.ts";
import type { Random } from "../sandbox/core/random.ts";
import { type Menu, menus } from "./menus.ts";
import { fullName } from "./people.ts";

export type Storefront = Omit<ShopFixture, "orders">;

interface StorefrontPlan {
  /** Ids begin after this number. */
  readonly base: number;
  readonly menu: keyof typeof menus;
  readonly threads: readonly ThreadFixture[];
  readonly now: Date;
}

export function storefrontOf({ base, now, threads, ...plan }: StorefrontPlan, random: Random): Storefront {
  const menu: Menu = menus[plan.menu];
  return {
    branches: menu.branches.map((name, index) => ({ id: base + index + 1, name, ...nearby(menu.center, random) })),
    zones: Object.entries(menu.zones).map(([name, price], index) => ({
      id: base + index + 1,
      name,
      price,
      branchId: base + (index % menu.branches.length) + 1,
    })),
    articles: menu.articles.map(([name, price, type = "item"], index) => ({
      id: base + index + 1,
      name,
      price,
      type,
      retailerId: type === "item" ? `${menu.code}-${100 + index}` : null,
    })),
    extras: Object.entries(menu.extras).map(([name, charge], index) => ({ id: base + index + 1, name, charge })),
    drivers: Array.from({ length: 4 }, (_, index) => ({
      id: base + index + 1,
      name: fullName(random),
      phone: `5917${String(9_000_000 + base + index)}`,
      ...nearby(menu.center, random),
      locatedAt: new Date(now.getTime() - random.between(1, 20) * minuteMs),
    })),
    // Every second customer also has the app.
    appCustomers: threads
      .filter((_, index) => index % 2 === 0)
      .map(({ name, chatId }, index) => ({
        id: base + index + 1,
        platformId: `app-${base + index + 1}`,
        name,
        chatId,
        lastMessageAt: new Date(now.getTime() - random.between(1, 72) * hourMs),
      })),
  };
}

/** A random place, at most about two kilometres north or south and two kilometres east or west of this one. */
export const nearby = ({ latitude, longitude }: Place, random: Random): Place => ({
  latitude: around(latitude, random),
  longitude: around(longitude, random),
});

const around = (degrees: number, random: Random): number =>
  Math.round((degrees + (random.next() - 0.5) / 25) * 1e6) / 1e6;
