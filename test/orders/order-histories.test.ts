import { expect } from "chai";
import fc from "fast-check";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { type Shops, startShops } from "./shops.ts";

/** Random sequences of requests and the bot's actions, compared with a simple model of lists, counters and totals. */

type Method = "delivery" | "pickup" | null;
const states = ["pending", "progress", "on-the-way", "completed", "cancelled"] as const;
type State = (typeof states)[number];

/** The current prices of articles and of extras by id, in cents. Article 103 makes the delivery free. */
const prices: Record<number, number> = { 101: 810, 102: 1220, 103: 0 };
const charges: Record<number, number> = { 101: 10, 102: 320, 103: 500 };
const names: Record<number, string> = { 101: "Salteña", 102: "Api con pastel", 103: "Envío gratis" };
const coupon = 103;
/** Price in cents and branch, by zone. */
const zones: Record<number, readonly [price: number, branch: number]> = {
  101: [1050, 101],
  102: [1500, 102],
};
/** The agent by chat. */
const agentOf: Readonly<Record<number, number | null>> = { 101: null, 102: 102, 103: 102 };

interface Extra {
  readonly id: number;
  readonly customPrice?: number;
  readonly picked?: string;
}
interface Line {
  readonly articleId: number;
  readonly quantity: number;
  readonly extras: readonly Extra[];
}
interface Fields {
  readonly shipmentMethod: Method;
  readonly sucursalId: number | null;
  readonly paid: boolean | null;
  readonly shouldUpdateSucursal: boolean;
  readonly zoneId: number | null;
}

/** `at` selects one of the existing orders. */
type Step =
  | {
      readonly kind: "create";
      readonly fields: Fields;
      readonly chatId: number | null;
      readonly lines: readonly Line[];
    }
  | { readonly kind: "update"; readonly at: number; readonly fields: Fields }
  | { readonly kind: "add"; readonly at: number; readonly line: Line }
  | { readonly kind: "remove"; readonly at: number; readonly line: number }
  | { readonly kind: "status"; readonly at: number; readonly to: State; readonly by: "key" | "admin" | "agent" }
  | { readonly kind: "driver"; readonly at: number; readonly driverId: number | null }
  | { readonly kind: "age"; readonly at: number }
  | { readonly kind: "silence" }
  /** The administrator changes a price in the catalog. For an article, the name changes, too. */
  | {
      readonly kind: "reprice";
      readonly what: "articles" | "extras" | "zones";
      readonly id: 101 | 102;
      readonly cents: number;
    };

const at = fc.nat(20);
const extra: fc.Arbitrary<Extra> = fc.oneof(
  fc.record({ id: fc.constantFrom(101, 102, 103) }),
  fc.record({
    id: fc.constantFrom(101, 102, 103),
    customPrice: fc.integer({ min: 0, max: 5_000 }).map((cents) => cents / 100),
    picked: fc.constantFrom("Poco", "Doble"),
  }),
);
const line: fc.Arbitrary<Line> = fc.record({
  articleId: fc.constantFrom(101, 102, 101, 102, coupon),
  quantity: fc.integer({ min: 1, max: 5 }),
  extras: fc.uniqueArray(extra, { maxLength: 3, selector: ({ id }) => id }),
});
const fields: fc.Arbitrary<Fields> = fc.record({
  shipmentMethod: fc.constantFrom("delivery", "pickup", null),
  sucursalId: fc.constantFrom(null, 101, 102),
  paid: fc.constantFrom(null, false, true),
  shouldUpdateSucursal: fc.boolean(),
  zoneId: fc.constantFrom(null, 101, 102),
});
const create = fc.record({
  kind: fc.constant("create" as const),
  fields,
  chatId: fc.constantFrom(null, 101, 102, 103),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
});
const by = fc.constantFrom("key" as const, "admin" as const, "agent" as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: create },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("update" as const), at, fields }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("add" as const), at, line }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at, line: fc.nat(5) }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("status" as const), at, to: fc.constantFrom(...states), by }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("driver" as const), at, driverId: fc.constantFrom(null, 101, 201) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("age" as const), at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("silence" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reprice" as const),
      what: fc.constantFrom("articles" as const, "extras" as const, "zones" as const),
      id: fc.constantFrom(101 as const, 102 as const),
      cents: fc.nat(3_000),
    }),
  },
);

interface Modelled extends Omit<Fields, "shouldUpdateSucursal"> {
  readonly id: number;
  readonly chatId: number | null;
  state: State;
  cancelReason: string | null;
  driverId: number | null;
  /** Whether the order is old enough for the bot to cancel it. */
  isOld: boolean;
  version: number;
  /** The actions in the order's history, latest first. */
  readonly history: string[];
  /** The price in cents that the zone had when it was assigned to the order. */
  zonePrice: number;
  lines: readonly KeptLine[];
}

/** `name` and the prices (in cents) are from when the line was added. `unit` is the price with the extras. */
interface KeptLine extends Line {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly unit: number;
}

const keptLine = (line: Line, id: number): KeptLine => {
  const price = prices[line.articleId] ?? 0;
  const costOf = ({ id, customPrice }: Extra) =>
    customPrice === undefined ? (charges[id] ?? 0) : Math.round(customPrice * 100);
  const unit = line.extras.reduce((sum, each) => sum + costOf(each), price);
  return { ...line, id, price, unit, name: names[line.articleId] ?? "" };
};

const zonePriceOf = (zoneId: number | null): number => (zoneId === null ? 0 : (zones[zoneId]?.[0] ?? 0));

const full: readonly State[] = ["pending", "progress", "on-the-way", "completed"];
const short: readonly State[] = ["pending", "progress", "completed"];
const isOpen = ({ state }: Modelled): boolean => state !== "completed" && state !== "cancelled";

/** The expected HTTP status of a move, which depends on the caller's role. */
function answerTo({ state, shipmentMethod }: Modelled, to: State, isAgent: boolean): 200 | 403 | 409 {
  if (to === "cancelled") return state === "completed" || state === "cancelled" ? 409 : 200;
  const forManagers = isAgent ? 403 : 200;
  if (to === "pending" && (state === "completed" || state === "cancelled")) return forManagers;
  // A pickup order that is already on the way follows the full chain.
  const chain = shipmentMethod === "pickup" && state !== "on-the-way" ? short : full;
  const [from, next] = [chain.indexOf(state), chain.indexOf(to)];
  if (from === -1 || next === -1) return 409;
  if (next === from + 1) return 200;
  return next === from - 1 ? forManagers : 409;
}

/** The order's total in cents. */
function totalOf({ lines, zonePrice, shipmentMethod }: Modelled): number {
  const isFree = shipmentMethod === "pickup" || lines.some(({ articleId }) => articleId === coupon);
  return lines.reduce((sum, { quantity, unit }) => sum + quantity * unit, isFree ? 0 : zonePrice);
}

const written = ({ shipmentMethod, sucursalId, paid, shouldUpdateSucursal, zoneId }: Fields) => {
  const branch = zoneId === null ? null : (zones[zoneId]?.[1] ?? null);
  const takesIt = shouldUpdateSucursal && shipmentMethod === "delivery" && branch !== null;
  return { shipmentMethod, paid, zoneId, sucursalId: takesIt ? branch : sucursalId };
};

describe("random histories of orders", () => {
  let shops: Shops;
  let agentToken: string;
  before(async () => {
    shops = await startShops();
    agentToken = await shops.sessionToken(102);
  });
  after(() => shops.stop());

  const send = (method: string, path: string, body: unknown, by: "key" | "admin" | "agent" = "key") => {
    const token = by === "admin" ? shops.token : agentToken;
    const headers = by === "key" ? { "x-api-key": shops.appKey(1) } : { authorization: `Bearer ${token}` };
    return request(`${shops.api}/catalogs/${path}`, { method, body, headers: headers as Record<string, string> });
  };
  const detailsOf = async (id: number): Promise<Answer["json"][]> =>
    (await shops.get(`/catalogs/order/${id}`)).json.data.details;
  const expectStatus = ({ status, text }: Answer, expected: number, each: Step): void => {
    expect(status, `${JSON.stringify(each)}: ${text}`).to.equal(expected);
  };
  const changed = (order: Modelled, action: string, changes: Partial<Modelled> = {}): void => {
    Object.assign(order, { version: order.version + 1 }, changes);
    order.history.unshift(action);
  };

  const make = async (orders: Modelled[], each: Step & { kind: "create" }): Promise<void> => {
    const { chatId, lines } = each;
    const answer = await send("POST", "orders", { type: "wa", chatId, lines, ...each.fields });
    expectStatus(answer, 201, each);
    const { id, details } = answer.json.data;
    orders.push({
      ...{ ...written(each.fields), id, chatId, state: "pending", cancelReason: null, driverId: null, isOld: false },
      ...{ version: 1, history: ["created"], lines: lines.map((line, n) => keptLine(line, details[n].id)) },
      zonePrice: zonePriceOf(each.fields.zoneId),
    });
  };

  const silence = async (orders: readonly Modelled[]): Promise<void> => {
    await resolve(shops.container, tokens.cancelInactive).execute();
    const abandoned = orders.filter((o) => isOpen(o) && o.isOld && o.paid !== true && o.chatId !== null);
    const cancelReason = "(BOT) Cancelada por inactividad en el chat";
    for (const order of abandoned) changed(order, "cancelled", { state: "cancelled", cancelReason });
  };

  const reprice = async ({ what, id, cents }: Step & { kind: "reprice" }): Promise<void> => {
    const amount = (cents / 100).toFixed(2);
    const branch = zones[id]?.[1];
    const bodies = {
      articles: { name: `Artículo a ${amount}`, price: amount },
      extras: { name: "Extra", charge: amount },
      zones: { nombre: "Zona", precio: amount, sucursal_id: branch },
    };
    const answer = await request(`${shops.api}/admin/${what}/${id}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${shops.token}` },
      body: bodies[what],
    });
    expect(answer.status, answer.text).to.equal(200);
    if (what === "zones") zones[id] = [cents, branch ?? 0];
    else if (what === "extras") charges[id] = cents;
    else Object.assign(prices, { [id]: cents });
    if (what === "articles") names[id] = bodies.articles.name;
  };

  const apply = async (orders: Modelled[], each: Step): Promise<void> => {
    if (each.kind === "create") return make(orders, each);
    if (each.kind === "silence") return silence(orders);
    if (each.kind === "reprice") return reprice(each);
    const order = orders[each.at % orders.length];
    if (!order) return;
    const { id: orderId } = order;
    if (each.kind === "update") {
      expectStatus(await send("PUT", "order/update", { orderId, ...each.fields }), 200, each);
      const { zoneId } = each.fields;
      const zonePrice = zoneId === order.zoneId ? order.zonePrice : zonePriceOf(zoneId);
      changed(order, "updated", { ...written(each.fields), zonePrice });
    } else if (each.kind === "add") {
      expectStatus(await send("POST", "orders/products/new", { orderId, ...each.line }), 200, each);
      const id = (await detailsOf(orderId)).at(-1).id;
      changed(order, "line_added", { lines: [...order.lines, keptLine(each.line, id)] });
    } else if (each.kind === "remove") {
      const gone = order.lines[each.line];
      const answer = await send("DELETE", "orders/details/delete", { orderId, detailId: gone?.id ?? 999_999 });
      expectStatus(answer, gone ? 200 : 400, each);
      if (gone) changed(order, "line_removed", { lines: order.lines.filter(({ id }) => id !== gone.id) });
    } else if (each.kind === "status") {
      const { to } = each;
      const expected = answerTo(order, to, each.by === "agent");
      expectStatus(await send("PUT", `order/${orderId}/status`, { status: to, reason: "x" }, each.by), expected, each);
      if (expected !== 200) return;
      const isOld = order.isOld && isOpen(order);
      const cancelReason = to === "cancelled" ? "x" : null;
      changed(order, to === "cancelled" ? "cancelled" : "status_changed", { state: to, cancelReason, isOld });
    } else if (each.kind === "driver") {
      const { driverId } = each;
      const isKnown = driverId !== 201;
      expectStatus(await send("PUT", `order/${orderId}/driver`, { driverId }, "agent"), isKnown ? 200 : 404, each);
      if (isKnown && order.driverId !== driverId) changed(order, "driver_changed", { driverId });
    } else {
      const back = "interval '2 hours'";
      await shops.rows(
        `update orders set created_at = created_at - ${back}, reopened_at = reopened_at - ${back} where id = $1`,
        [orderId],
      );
      order.isOld = true;
    }
  };

  const filters: [query: string, keeps: (order: Modelled) => boolean][] = [
    ["", () => true],
    ["sucursalId=101", ({ sucursalId }) => sucursalId === 101],
    ["userId=102", ({ chatId }) => chatId !== null && agentOf[chatId] === 102],
    ["userId=102&sucursalId=102", (o) => o.sucursalId === 102 && o.chatId !== null && agentOf[o.chatId] === 102],
    ["from=2020-01-01T00:00:00Z", () => true],
  ];

  const expectShown = async (orders: readonly Modelled[]): Promise<void> => {
    for (const [query, keeps] of filters) {
      const kept = orders.filter(keeps);
      const counts = Object.fromEntries(states.map((each) => [each, kept.filter((o) => o.state === each).length]));
      expect((await shops.list(`/counts?${query}`)).json.data, `counts ${query}`).to.deep.equal(counts);
      for (const state of [null, ...states]) {
        const listed = (await shops.list(`?limit=100&${query}${state ? `&status=${state}` : ""}`)).json;
        const expected = kept.filter((order) => state === null || order.state === state);
        expect(listed.total, `${state} ${query}`).to.equal(expected.length);
        expect(listed.data.map((o: Answer["json"]) => [o.id, Math.round(o.total * 100)])).to.have.deep.members(
          expected.map((order) => [order.id, totalOf(order)]),
        );
      }
    }
    for (const order of orders) {
      const { json, headers } = await shops.get(`/catalogs/order/${order.id}`);
      const { data } = json;
      expect({
        ...{
          sucursalId: data.sucursal_id,
          zoneId: data.zone_id,
          shipmentMethod: data.shipment_method,
          paid: data.paid,
        },
        ...{ cancelReason: data.cancel_reason, driverId: data.driver?.id ?? null, total: Math.round(data.total * 100) },
        ...{ etag: headers.etag, lines: data.details.map(({ id }: { id: number }) => id) },
      }).to.deep.equal({
        ...{
          sucursalId: order.sucursalId,
          zoneId: order.zoneId,
          shipmentMethod: order.shipmentMethod,
          paid: order.paid,
        },
        ...{ cancelReason: order.cancelReason, driverId: order.driverId, total: totalOf(order) },
        ...{ etag: `"v${order.version}"`, lines: order.lines.map(({ id }) => id) },
      });
      expect(
        data.details.map(({ articulo }: Answer["json"]) => [articulo.name, Math.round(Number(articulo.price) * 100)]),
      ).to.deep.equal(order.lines.map(({ name, price }) => [name, price]));
      const entries = (await shops.get(`/catalogs/order/${order.id}/history?limit=100`)).json.data;
      expect(entries.map((entry: Answer["json"]) => [entry.action, entry.version])).to.deep.equal(
        order.history.map((action, n) => [action, order.version - n]),
      );
    }
  };

  it("lead to the lists, tab counters, totals and histories of a simple model", async () => {
    await fc.assert(
      fc.asyncProperty(create, fc.array(step, { minLength: 30, maxLength: 60 }), async (first, steps) => {
        await shops.rows("truncate orders cascade");
        const orders: Modelled[] = [];
        for (const each of [first, ...steps]) await apply(orders, each);
        await expectShown(orders);
      }),
      { numRuns: 15 },
    );
  });

  it("keep lists and counters exact if many changes are simultaneous", async () => {
    await shops.rows("truncate orders cascade");
    const made: Modelled[] = [];
    for (const each of fc.sample(create, 5)) await apply(made, each);
    const ids = made.map(({ id }) => id);
    const requests = fc.sample(fc.tuple(fc.nat(4), fc.constantFrom(...states)), 60);
    const answers = await Promise.all([
      ...requests.map(([n, status]) => send("PUT", `order/${ids[n]}/status`, { status, reason: "x" })),
      ...fc.sample(create, 10).map(({ fields, ...body }) => send("POST", "orders", { type: "wa", ...body, ...fields })),
      ...ids.map((id) => send("PUT", `order/${id}/driver`, { driverId: 101 })),
    ]);
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 201, 409]);
    const stored = await shops.rows<{ id: number; tab: number; version: number; changes: number }>(
      `select o.id, o.tab, o.version, (select count(*) from order_changes where order_id = o.id) as changes
       from orders as o where business_id = 1`,
    );
    const tabs: Readonly<Record<State, number>> = {
      pending: 8,
      progress: 1,
      "on-the-way": 2,
      completed: 4,
      cancelled: 5,
    };
    const { data: counts } = (await shops.list("/counts")).json;
    for (const state of states) {
      const own = stored.filter(({ tab }) => tab === tabs[state]).map(({ id }) => id);
      expect(counts[state], state).to.equal(own.length);
      const listed = (await shops.list(`?limit=100&status=${state}`)).json.data;
      expect(listed.map(({ id }: { id: number }) => id)).to.have.members(own);
    }
    for (const { version, changes } of stored) expect(changes).to.equal(version);
  });
});
