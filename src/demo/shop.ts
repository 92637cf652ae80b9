import { cloudChannel } from "../kernel/channels.ts";
import { inactivityReason } from "../orders/domain/inactivity.ts";
import { isOpen, orderStatuses } from "../orders/domain/order.ts";
import { type DemoMenu, menus } from "./menus.ts";
import { fullName } from "./people.ts";
import { Random } from "./random.ts";
import type { DemoThread } from "./threads.ts";

/** What a business of the demo sells, and to whom it sold it. Amounts in units of its currency. */
export interface DemoShop {
  readonly branches: readonly DemoBranch[];
  readonly zones: readonly {
    readonly id: number;
    readonly name: string;
    readonly price: number;
    readonly branchId: number;
  }[];
  readonly articles: readonly DemoArticle[];
  readonly extras: readonly { readonly id: number; readonly name: string; readonly charge: number }[];
  readonly drivers: readonly DemoDriver[];
  readonly appCustomers: readonly DemoAppCustomer[];
  readonly orders: readonly DemoOrder[];
}

export interface DemoBranch {
  readonly id: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface DemoArticle {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly type: string;
  readonly retailerId: string | null;
}

export interface DemoDriver {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly latitude: number;
  readonly longitude: number;
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

export interface DemoOrder {
  readonly id: number;
  readonly status: number;
  readonly type: string;
  readonly shipmentMethod: "delivery" | "pickup";
  readonly paymentMethod: string | null;
  readonly branchId: number;
  readonly zoneId: number | null;
  readonly chatId: number;
  readonly externalUserId: string | null;
  readonly userId: number | null;
  readonly driverId: number | null;
  readonly paid: boolean | null;
  readonly cancelReason: string | null;
  readonly locationLabel: string | null;
  readonly rawAddress: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly scheduledAt: Date | null;
  readonly speedyPrice: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lines: readonly DemoLine[];
  readonly discounts: readonly { readonly kind: string; readonly amount: number }[];
}

export interface DemoLine {
  readonly id: number;
  readonly article: DemoArticle;
  readonly quantity: number;
  readonly type: "item" | "delivery_coupon";
  readonly extras: readonly DemoLineExtra[];
}

export interface DemoLineExtra {
  readonly extraId: number;
  /** What is asked for it instead of its charge. */
  readonly custom?: { readonly price: number; readonly picked: string };
}

export interface ShopPlan {
  readonly businessId: number;
  /** What its ids begin after. */
  readonly base: number;
  readonly menu: keyof typeof menus;
  readonly orders: number;
  readonly threads: readonly DemoThread[];
  readonly agentIds: readonly number[];
  readonly seed: number;
  readonly now: Date;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const days = 90;

export function shopOf(plan: ShopPlan): DemoShop {
  const { base, now } = plan;
  const random = new Random(plan.seed);
  const menu: DemoMenu = menus[plan.menu];
  const [latitude, longitude] = menu.center;
  const branches = menu.branches.map((name, index) => ({
    id: base + index + 1,
    name,
    latitude: around(latitude, random),
    longitude: around(longitude, random),
  }));
  const branchOf = (index: number): number => branches[index % branches.length]?.id ?? base + 1;
  const shop = {
    branches,
    zones: menu.zones.map(([name, price], index) => ({ id: base + index + 1, name, price, branchId: branchOf(index) })),
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
      latitude: around(latitude, random),
      longitude: around(longitude, random),
      locatedAt: new Date(now.getTime() - random.between(1, 20) * minuteMs),
    })),
    // Every second one has the app too.
    appCustomers: plan.threads
      .filter((_, index) => index % 2 === 0)
      .map(({ name, chatId }, index) => ({
        id: base + index + 1,
        platformId: `app-${base + index + 1}`,
        name,
        chatId,
        lastMessageAt: new Date(now.getTime() - random.between(1, 72) * hourMs),
      })),
  };
  return { ...shop, orders: ordersOf(plan, shop, random) };
}

/** The oldest first; those that are still open are of today, and their customers talk to an agent. */
function ordersOf(plan: ShopPlan, shop: Omit<DemoShop, "orders">, random: Random): DemoOrder[] {
  const now = plan.now.getTime();
  const moments = Array.from({ length: plan.orders }, (_, index) => {
    const status = statusOf(index, random);
    const age = isOpen({ status }) ? random.between(5, 18 * 60) : random.between(24 * 60, days * 24 * 60);
    return { status, createdAt: now - age * minuteMs, type: typeOf(index, random) };
  });
  moments.sort((a, b) => a.createdAt - b.createdAt);
  let lastLine = plan.base * 10;
  const lineId = () => {
    lastLine += 1;
    return lastLine;
  };
  return moments.map((moment, index) => order({ ...moment, id: plan.base + index + 1, plan, shop, random, lineId }));
}

/** The first two are pending, one by chat and one by the app; then every status has its share. */
function statusOf(index: number, random: Random): number {
  if (index < 2) return orderStatuses.pending;
  return random.pick([
    ...([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4] as const),
    ...([5, 5, 5, 5] as const),
    ...([8, 8, 1, 2, 3] as const),
  ] as [number, ...number[]]);
}

const typeOf = (index: number, random: Random): string =>
  (["wa", "app"] as const)[index] ?? random.pick(["wa", "wa", "wa", "wa", "app", "app", "web", "call"]);

interface OrderPlan {
  readonly id: number;
  readonly status: number;
  readonly type: string;
  readonly createdAt: number;
  readonly plan: ShopPlan;
  readonly shop: Omit<DemoShop, "orders">;
  readonly random: Random;
  readonly lineId: () => number;
}

const labels = ["Casa", "Trabajo", "Casa de mi mamá", "Oficina"] as const;
const streets = [
  "Av. 6 de Agosto",
  "Calle Comercio",
  "Av. Arce",
  "Calle Sagárnaga",
  "Av. Busch",
  "Calle Jaén",
  "Av. Saavedra",
  "Calle 21 de Calacoto",
] as const;
const reasons = [
  inactivityReason,
  inactivityReason,
  inactivityReason,
  "El cliente se arrepintió",
  "Fuera de la zona de reparto",
  "Producto agotado",
  "Pago no recibido",
] as const;

function order({ id, status, type, createdAt, plan, shop, random, lineId }: OrderPlan): DemoOrder {
  const isDelivery = random.chance(0.7);
  const zone = one(shop.zones, random);
  const [branch] = shop.branches;
  const lines = linesOf(shop, isDelivery, random, lineId);
  const isLive = isOpen({ status });
  const isInApp = type === "app" || type === "web";
  const chats = chatsFor(plan, isLive);
  const customer = isInApp
    ? one(
        shop.appCustomers.filter(({ chatId }) => chats.includes(chatId)),
        random,
      )
    : undefined;
  const cancelReason = status === orderStatuses.cancelled ? random.pick(reasons) : null;
  return {
    id,
    status,
    type,
    shipmentMethod: isDelivery ? "delivery" : "pickup",
    paymentMethod: cancelReason === inactivityReason ? null : random.pick(["cash", "qr", "card", "transfer"]),
    branchId: (isDelivery ? zone?.branchId : one(shop.branches, random)?.id) ?? branch?.id ?? 0,
    zoneId: isDelivery ? (zone?.id ?? null) : null,
    chatId: customer?.chatId ?? one(chats, random) ?? 0,
    externalUserId: customer?.platformId ?? null,
    userId: random.chance(0.4) ? (one(plan.agentIds, random) ?? null) : null,
    driverId: isDelivery && [2, 3, 4].includes(status) ? (one(shop.drivers, random)?.id ?? null) : null,
    paid: status === orderStatuses.completed ? true : status === orderStatuses.cancelled ? null : id % 3 === 0,
    cancelReason,
    locationLabel: isDelivery ? random.pick(labels) : null,
    rawAddress: isDelivery ? `${random.pick(streets)} N.º ${random.between(10, 2_900)}` : null,
    latitude: isDelivery ? around(branch?.latitude ?? 0, random) : null,
    longitude: isDelivery ? around(branch?.longitude ?? 0, random) : null,
    scheduledAt: random.chance(0.2) ? new Date(createdAt + random.between(2, 30) * hourMs) : null,
    speedyPrice: isDelivery && random.chance(0.1) ? random.between(14, 50) / 2 : null,
    createdAt: new Date(createdAt),
    updatedAt: new Date(createdAt + (isLive ? random.between(0, 4) : random.between(61, 180)) * minuteMs),
    lines,
    discounts: discountsOf(lines, random),
  };
}

/** Open orders belong to chats that an agent attends, so that nothing of the demo is cancelled by itself. */
function chatsFor({ threads }: ShopPlan, isLive: boolean): number[] {
  const attended = ({ channel, state }: DemoThread) =>
    channel === cloudChannel && (state === "pending" || state === "in_progress");
  return (isLive ? threads.filter(attended) : threads).map(({ chatId }) => chatId);
}

function linesOf(
  { articles, extras }: Omit<DemoShop, "orders">,
  isDelivery: boolean,
  random: Random,
  lineId: () => number,
): DemoLine[] {
  const items = articles.filter(({ type }) => type === "item");
  const coupon = articles.find(({ type }) => type === "free_delivery");
  const lines: DemoLine[] = Array.from({ length: random.between(1, 4) }, () => ({
    id: lineId(),
    article: one(items, random) as DemoArticle,
    quantity: random.pick([1, 1, 1, 2, 2, 3, 6]),
    type: "item",
    extras: random.chance(0.35) ? [extraOf(extras, random)] : [],
  }));
  if (isDelivery && coupon && random.chance(0.08))
    lines.push({ id: lineId(), article: coupon, quantity: 1, type: "delivery_coupon", extras: [] });
  return lines;
}

function extraOf(extras: DemoShop["extras"], random: Random): DemoLineExtra {
  const extraId = one(extras, random)?.id ?? 0;
  if (!random.chance(0.25)) return { extraId };
  return {
    extraId,
    custom: { price: random.between(2, 18) / 2, picked: random.pick(["Mitad y mitad", "Aparte", "Doble"]) },
  };
}

/** At most a tenth of what the articles cost. */
function discountsOf(lines: readonly DemoLine[], random: Random): DemoOrder["discounts"] {
  if (!random.chance(0.15)) return [];
  const cents = lines.reduce((sum, { article, quantity }) => sum + Math.round(article.price * 100) * quantity, 0);
  const kind = random.pick(["coupon", "coupon", "reward", "reward_points", "claimed_points"]);
  return [{ kind, amount: Math.floor(cents / 10) / 100 }];
}

function one<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[random.between(0, Math.max(0, items.length - 1))];
}

/** Within some two kilometres. */
const around = (degrees: number, random: Random): number =>
  Math.round((degrees + (random.next() - 0.5) / 25) * 1e6) / 1e6;
