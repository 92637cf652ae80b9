import type { BusinessFixture, DepartmentFixture, ThreadFixture } from "../fixtures/businesses/business.ts";
import {
  cloudChannel,
  isNumbered,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../kernel/channels.ts";
import { isOpen } from "../orders/domain/states.ts";
import { Random } from "../sandbox/core/random.ts";
import { demoAds } from "./ads.ts";
import type { menus } from "./menus.ts";
import { ordersOf } from "./orders.ts";
import { usersOf } from "./people.ts";
import { stepsOf } from "./steps.ts";
import { storefrontOf } from "./storefront.ts";
import { longStories, overdueStories, withStories } from "./stories.ts";
import { templatesOf } from "./templates.ts";
import { thread, withOrderRequests } from "./threads.ts";

export const demoPassword = "recado-demo";

const plans: readonly Plan[] = [
  {
    id: 1,
    name: "Sabor Andino",
    threads: 240,
    elsewhere: 24,
    group: [1, 3],
    seed: 11,
    menu: "andeanLaPaz",
    orders: 300,
  },
  { id: 2, name: "Café Illimani", threads: 40, elsewhere: 4, group: [2, 4], seed: 22, menu: "coffeeLaPaz", orders: 80 },
  {
    id: 3,
    name: "Sabor Andino Cochabamba",
    threads: 60,
    elsewhere: 4,
    group: null,
    seed: 33,
    menu: "andeanCochabamba",
    orders: 60,
  },
  {
    id: 4,
    name: "Café Illimani El Alto",
    threads: 30,
    elsewhere: 4,
    group: null,
    seed: 44,
    menu: "coffeeElAlto",
    orders: 40,
  },
];

/** The demo's businesses. They are always the same, except for their dates, which are relative to `now`. */
export const demoBusinesses = (now: Date): BusinessFixture[] => plans.map((plan) => business(plan, now));

const otherChannels = [pageChannel, photoChannel, qrChannel, providerBChannel] as const;

interface Plan {
  readonly id: number;
  readonly name: string;
  readonly threads: number;
  /** The number of threads on other channels than the cloud channel. */
  readonly elsewhere: number;
  /** Ids of the businesses in this business's shared report. The list may leave out the business itself. */
  readonly group: readonly number[] | null;
  readonly seed: number;
  readonly menu: keyof typeof menus;
  readonly orders: number;
}

function business(plan: Plan, now: Date): BusinessFixture {
  const { id, name } = plan;
  const random = new Random(plan.seed);
  // The first business has small ids, because people type them. The ids of business 2 begin at 2001.
  const base = id === 1 ? 0 : id * 1_000;
  const users = usersOf(base, id, random);
  const agentIds = users.filter(({ roleId }) => roleId === 5).map((user) => user.id);
  const departments = departmentsOf(base, agentIds);
  const phone = `5912${String(2_000_000 + id)}`;
  const accountId = `AC${String(id).padStart(32, "0")}`;
  const otherSenders = otherChannels.map((channel) => ({
    channel,
    // ProviderB identifies a sender by its account.
    ...(channel === providerBChannel
      ? { platformId: accountId, accountId }
      : { platformId: `${channel}-${id}`, accountId: `3000${id}` }),
    phone,
    token: `demo-${channel}-token-${id}`,
  }));
  const threads = Array.from(
    { length: plan.threads },
    (_, index): ThreadFixture => ({
      ...thread(base, index, { id, users, now, random }),
      ...placeOf(plan, index),
    }),
  );
  const ads = demoAds(id, now);
  // The shop draws its own random numbers, so that changes of the shop leave the rest of the demo as it is.
  const ofShop = new Random(plan.seed * 1_000);
  const shopPlan = { ...plan, base, threads, agentIds, now };
  const storefront = storefrontOf(shopPlan, ofShop);
  const shop = { ...storefront, orders: ordersOf(shopPlan, storefront, ofShop) };
  const opened = shop.orders.filter(isOpen);
  const place = {
    ...{ shop: name, users, now, departmentIds: departments.map((department) => department.id) },
    random: new Random(plan.seed * 2_000),
  };
  const asked = withOrderRequests(threads, opened);
  return {
    id,
    name,
    flags: {
      timezone: "America/La_Paz",
      template_language: "es",
      currency: "BOB",
      currency_conversion: { USD: 6.96 },
      "payments-url": `https://pagos.example.com/${id}`,
      bot_inactivity_minutes: 90,
      ...(id === 1 ? { tax_id_label: "NIT/CI", ad_account_for_report: ads.defaultAccountId } : {}),
      ...(plan.group ? { group_shared_report: plan.group } : {}),
    },
    users,
    departments,
    tags: ["Interesado", "Mayorista", "Reclamo", "Cliente frecuente"].map((tag, index) => ({
      id: base + index + 1,
      name: tag,
    })),
    steps: stepsOf(base, departments),
    templates: templatesOf(base, users),
    quickReplies,
    threads: id === 1 ? withStories(asked, storyIndexes(asked, opened), place) : asked,
    shop,
    otherSenders,
    ads,
    sender: { phoneNumberId: `1000${id}`, accountId: `2000${id}`, phone, token: `demo-platform-token-${id}` },
  };
}

/** The last threads take turns on the other channels. Where customers have no phone number, `phone` is their id. */
function placeOf({ id, threads, elsewhere }: Plan, index: number): Pick<ThreadFixture, "channel"> | { phone: string } {
  const fromEnd = threads - 1 - index;
  const channel = fromEnd < elsewhere ? otherChannels[fromEnd % otherChannels.length] : undefined;
  if (channel === undefined) return { channel: cloudChannel };
  return { channel, ...(!isNumbered(channel) && { phone: `24${String(id * 1_000_000 + index).padStart(15, "0")}` }) };
}

/** The threads that become stories: some chats without an open order, but not the first ones, whose ids people type. */
function storyIndexes(threads: readonly ThreadFixture[], opened: readonly { readonly chatId: number }[]): number[] {
  const ordered = new Set(opened.map(({ chatId }) => chatId));
  const free = threads.flatMap(({ chatId, channel }, index) =>
    index >= 12 && !ordered.has(chatId) ? { index, isCloud: channel === cloudChannel } : [],
  );
  const indexes = (isCloud: boolean) => free.filter((each) => each.isCloud === isCloud).map(({ index }) => index);
  return [...indexes(true).slice(0, longStories + overdueStories), ...indexes(false)];
}

const quickReplies = [
  { shortcut: "hola", body: "¡Hola! Gracias por escribirnos. ¿En qué te ayudamos?" },
  { shortcut: "horario", body: "Atendemos de lunes a sábado de 8:30 a 22:00 y domingos de 9:00 a 16:00." },
  { shortcut: "envio", body: "El envío cuesta entre Bs 8 y Bs 15 según la zona, y tarda unos 40 minutos." },
  { shortcut: "pago", body: "Puedes pagar con QR, tarjeta o efectivo al recibir." },
  { shortcut: "direccion", body: "Estamos en la Av. 6 de Agosto 2450, frente a la plaza. ¡Te esperamos!" },
  { shortcut: "espera", body: "Dame un momento, por favor: lo consulto y te respondo enseguida." },
  {
    shortcut: "reclamo",
    body: "Lamentamos lo ocurrido. ¿Nos envías una foto y tu número de pedido para resolverlo hoy mismo?",
  },
  { shortcut: "gracias", body: "¡Gracias a ti! Que tengas un lindo día." },
];

/** The department for sales is always open. The department for complaints has opening hours. */
function departmentsOf(base: number, agentIds: readonly number[]): DepartmentFixture[] {
  const workday = [
    ["08:30", "12:30"],
    ["14:30", "19:00"],
  ];
  const openingHours = {
    mon: workday,
    tue: workday,
    wed: workday,
    thu: workday,
    fri: workday,
    sat: [["09:00", "13:00"]],
  };
  const outOfHoursMessage =
    "Gracias por escribirnos. Atendemos reclamos de lunes a viernes de 8:30 a 12:30 y de 14:30 a 19:00, y sábados " +
    "de 9:00 a 13:00. Te responderemos apenas abramos.";
  return [
    { id: base + 1, name: "Ventas", agentIds },
    { id: base + 2, name: "Reclamos", openingHours, outOfHoursMessage, agentIds: agentIds.slice(1) },
  ];
}
