import { type DemoMenu, menus } from "./menus.ts";
import { fullName } from "./people.ts";
import { type DemoPlace, nearby } from "./places.ts";
import type { Random } from "./random.ts";
import type { DemoThread } from "./threads.ts";

/** What a business of the demo sells, from where, and who of its customers has its app. */
export interface DemoStorefront {
  readonly branches: readonly DemoBranch[];
  readonly zones: readonly DemoZone[];
  readonly articles: readonly DemoArticle[];
  readonly extras: readonly DemoExtra[];
  readonly drivers: readonly DemoDriver[];
  readonly appCustomers: readonly DemoAppCustomer[];
}

export interface DemoBranch extends DemoPlace {
  readonly id: number;
  readonly name: string;
}

export interface DemoZone {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly branchId: number;
}

export interface DemoArticle {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly type: string;
  readonly retailerId: string | null;
}

export interface DemoExtra {
  readonly id: number;
  readonly name: string;
  readonly charge: number;
}

export interface DemoDriver extends DemoPlace {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly locatedAt: Date;
}

/** A customer of the business's own app, with the thread there. */
export interface DemoAppCustomer {
  readonly id: number;
  readonly platformId: string;
  readonly name: string;
  /** Where the same person writes to the business. */
  readonly chatId: number;
  readonly lastMessageAt: Date;
}

export interface StorefrontPlan {
  /** What its ids begin after. */
  readonly base: number;
  readonly menu: keyof typeof menus;
  readonly threads: readonly DemoThread[];
  readonly now: Date;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function storefrontOf({ base, now, threads, ...plan }: StorefrontPlan, random: Random): DemoStorefront {
  const menu: DemoMenu = menus[plan.menu];
  const [latitude, longitude] = menu.center;
  const center = { latitude, longitude };
  return {
    branches: menu.branches.map((name, index) => ({ id: base + index + 1, name, ...nearby(center, random) })),
    zones: menu.zones.map(([name, price], index) => ({
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
    extras: menu.extras.map(([name, charge], index) => ({ id: base + index + 1, name, charge })),
    drivers: Array.from({ length: 4 }, (_, index) => ({
      id: base + index + 1,
      name: fullName(random),
      phone: `5917${String(9_000_000 + base + index)}`,
      ...nearby(center, random),
      locatedAt: new Date(now.getTime() - random.between(1, 20) * minuteMs),
    })),
    // Every second one has the app too.
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
