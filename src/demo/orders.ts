import type { ThreadFixture } from "../fixtures/businesses/business.ts";
import type {
  AppCustomerFixture,
  LineExtraFixture,
  OrderFixture,
  OrderLineFixture,
} from "../fixtures/businesses/shop.ts";
import { cloudChannel } from "../kernel/channels.ts";
import { hourMs, minuteMs } from "../kernel/instants.ts";
import { inactivityReason } from "../orders/domain/inactivity.ts";
import { isOpen, statusesOf, statusOf } from "../orders/domain/states.ts";
import type { Random } from "../sandbox/core/random.ts";
import { nearby, type Storefront } from "./storefront.ts";

interface OrdersPlan {
  /** Ids begin after this number. */
  readonly base: number;
  readonly orders: number;
  readonly threads: readonly ThreadFixture[];
  readonly agentIds: readonly number[];
  readonly now: Date;
}

const days = 90;

/** Oldest first. Open orders are at most 18 hours old. */
export function ordersOf(plan: OrdersPlan, storefront: Storefront, random: Random): OrderFixture[] {
  const now = plan.now.getTime();
  const moments = Array.from({ length: plan.orders }, (_, index) => {
    const status = drawStatus(index, random);
    const age = isOpen({ status }) ? random.between(5, 18 * 60) : random.between(24 * 60, days * 24 * 60);
    return { status, createdAt: now - age * minuteMs, type: typeOf(index, random) };
  });
  moments.sort((a, b) => a.createdAt - b.createdAt);
  const maker = new OrderMaker(plan, storefront, random);
  return moments.map((moment, index) => maker.order({ ...moment, id: plan.base + index + 1 }));
}

/** The first two orders drawn are pending: a chat order and an app order (see `typeOf`). Other statuses are random. */
function drawStatus(index: number, random: Random): number {
  const { pending, progress, completed, cancelled } = statusOf;
  if (index < 2) return pending;
  return random.pick([
    ...Array.from({ length: 12 }, () => completed),
    ...Array.from({ length: 4 }, () => cancelled),
    ...[pending, pending, progress, ...statusesOf["on-the-way"]],
  ]);
}

const typeOf = (index: number, random: Random): string =>
  (["wa", "app"] as const)[index] ?? random.pick(["wa", "wa", "wa", "wa", "app", "app", "web", "call"]);

interface OrderMoment {
  readonly id: number;
  readonly status: number;
  readonly type: string;
  readonly createdAt: number;
}

type Address = Pick<OrderFixture, "locationLabel" | "rawAddress" | "latitude" | "longitude">;

const noAddress: Address = { locationLabel: null, rawAddress: null, latitude: null, longitude: null };
const labels = ["Casa", "Trabajo", "Casa de mi mamá", "Oficina"];
const streets = [
  "Av. 6 de Agosto",
  "Calle Comercio",
  "Av. Arce",
  "Calle Sagárnaga",
  "Av. Busch",
  "Calle Jaén",
  "Av. Saavedra",
  "Calle 21 de Calacoto",
];
const reasons = [
  inactivityReason,
  inactivityReason,
  inactivityReason,
  "El cliente se arrepintió",
  "Fuera de la zona de reparto",
  "Producto agotado",
  "Pago no recibido",
];

class OrderMaker {
  private lastLine: number;

  constructor(
    private readonly plan: OrdersPlan,
    private readonly storefront: Storefront,
    private readonly random: Random,
  ) {
    this.lastLine = plan.base * 10;
  }

  order({ id, status, type, createdAt }: OrderMoment): OrderFixture {
    const { random, storefront } = this;
    const isDelivery = random.chance(0.7);
    const zone = random.pick(storefront.zones);
    const lines = this.lines(isDelivery);
    const isLive = isOpen({ status });
    const chats = this.chats(isLive);
    const customer = type === "app" || type === "web" ? this.appCustomer(chats) : undefined;
    const cancelReason = status === statusOf.cancelled ? random.pick(reasons) : null;
    return {
      id,
      status,
      type,
      shipmentMethod: isDelivery ? "delivery" : "pickup",
      paymentMethod: cancelReason === inactivityReason ? null : random.pick(["cash", "qr", "card", "transfer"]),
      branchId: isDelivery ? zone.branchId : random.pick(storefront.branches).id,
      zoneId: isDelivery ? zone.id : null,
      chatId: customer?.chatId ?? random.pick(chats),
      externalUserId: customer?.platformId ?? null,
      userId: random.chance(0.4) ? random.pick(this.plan.agentIds) : null,
      driverId: isDelivery && hasDriver(status) ? random.pick(storefront.drivers).id : null,
      paid: isPaid(id, status),
      cancelReason,
      ...(isDelivery ? this.address() : noAddress),
      scheduledAt: random.chance(0.2) ? new Date(createdAt + random.between(2, 30) * hourMs) : null,
      speedyPrice: isDelivery && random.chance(0.1) ? random.between(14, 50) / 2 : null,
      createdAt: new Date(createdAt),
      updatedAt: new Date(createdAt + (isLive ? random.between(0, 4) : random.between(61, 180)) * minuteMs),
      lines,
      discounts: discountsOf(lines, random),
    };
  }

  /** Open orders get chats that have an agent or wait for one. In chats with the bot, the bot cancels idle orders. */
  private chats(isLive: boolean): number[] {
    const { threads } = this.plan;
    const attended = ({ channel, state }: ThreadFixture) =>
      channel === cloudChannel && (state === "pending" || state === "in_progress");
    return (isLive ? threads.filter(attended) : threads).map(({ chatId }) => chatId);
  }

  private appCustomer(chats: readonly number[]): AppCustomerFixture {
    return this.random.pick(this.storefront.appCustomers.filter(({ chatId }) => chats.includes(chatId)));
  }

  private lines(isDelivery: boolean): OrderLineFixture[] {
    const { random } = this;
    const { articles } = this.storefront;
    const items = articles.filter(({ type }) => type === "item");
    const coupon = articles.find(({ type }) => type === "free_delivery");
    const lines: OrderLineFixture[] = Array.from({ length: random.between(1, 4) }, () => ({
      id: this.nextLine(),
      article: random.pick(items),
      quantity: random.pick([1, 1, 1, 2, 2, 3, 6]),
      type: "item",
      extras: random.chance(0.35) ? [this.extra()] : [],
    }));
    if (isDelivery && coupon && random.chance(0.08))
      lines.push({ id: this.nextLine(), article: coupon, quantity: 1, type: "delivery_coupon", extras: [] });
    return lines;
  }

  private nextLine(): number {
    this.lastLine += 1;
    return this.lastLine;
  }

  private extra(): LineExtraFixture {
    const { random } = this;
    const extraId = random.pick(this.storefront.extras).id;
    if (!random.chance(0.25)) return { extraId };
    return {
      extraId,
      custom: { price: random.between(2, 18) / 2, picked: random.pick(["Mitad y mitad", "Aparte", "Doble"]) },
    };
  }

  private address(): Address {
    const { random } = this;
    const [branch] = this.storefront.branches;
    return {
      ...noAddress,
      locationLabel: random.pick(labels),
      rawAddress: `${random.pick(streets)} N.º ${random.between(10, 2_900)}`,
      ...(branch && nearby(branch, random)),
    };
  }
}

const hasDriver = (status: number): boolean =>
  [...statusesOf["on-the-way"], statusOf.completed].some((each) => each === status);

function isPaid(id: number, status: number): boolean | null {
  if (status === statusOf.cancelled) return null;
  return status === statusOf.completed || id % 3 === 0;
}

/** Most orders have no discount. A discount is a tenth of the articles' price without extras. */
function discountsOf(lines: readonly OrderLineFixture[], random: Random): OrderFixture["discounts"] {
  if (!random.chance(0.15)) return [];
  const cents = lines.reduce((sum, { article, quantity }) => sum + Math.round(article.price * 100) * quantity, 0);
  const kind = random.pick(["coupon", "coupon", "reward", "reward_points", "claimed_points"]);
  return [{ kind, amount: Math.floor(cents / 10) / 100 }];
}
