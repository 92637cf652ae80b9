import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { noNews } from "../../src/inbox/public.ts";
import { orderSchema } from "../../src/orders/adapters/http/order-schemas.ts";
import { incomingOn } from "../inbox/incoming-support.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook, type Listener } from "../support/world.ts";
import { type Shops, startShops } from "./shops.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const isOrder = ajv.compile(orderSchema);

interface OrderRow {
  readonly id: number;
  readonly chat_id: number;
  readonly message_id: number;
}

/** Fields that differ for every order. */
const own = ["id", "createdAt", "updatedAt", "details"];
const without = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

describe("an order that a customer puts together from a catalog", () => {
  let shops: Shops;
  let admin: Listener;
  before(async () => {
    shops = await startShops();
    admin = await shops.listen(101);
    await shops.rows(`
      insert into articles (business_id, id, name, price, type, retailer_id, archived_at)
      values (1, 110, 'Jugo', 5.25, 'item', 'JUGO', null), (1, 111, 'Cuñapé', 3.00, 'item', 'CUÑ', now()),
             (1, 112, 'Envío', 0.00, 'free_delivery', 'ENV', null), (1, 113, 'Palacio', 999999999999.99, 'item', 'PAL', null)`);
    await shops.rows(`
      insert into articles (business_id, id, name, price, type, retailer_id)
      values (2, 210, 'Sólo de dos', 1.00, 'item', 'DOS')`);
  });
  after(() => shops.stop());

  let count = 0;
  const newPhone = (): string => String(59_178_000_000 + ++count);
  const item = (product_retailer_id: unknown, changes: object = {}) => ({
    product_retailer_id,
    quantity: 1,
    item_price: 9.5,
    currency: "BOB",
    ...changes,
  });
  const ordering = (from: string, product_items: readonly object[]) => ({
    from,
    id: `wamid.order.${++count}`,
    timestamp: "1760000000",
    type: "order",
    order: { catalog_id: "194836987003835", text: "Sin llajua, por favor", product_items },
  });
  const tell = async (messages: readonly object[], businessId = 1): Promise<void> => {
    const contacts = messages.map((message) => ({
      profile: { name: "Ana" },
      wa_id: (message as { from: string }).from,
    }));
    expect((await shops.webhook(aWebhook(businessId, { contacts, messages }))).status).to.equal(200);
  };
  const allProcessed = () => eventually(async () => (await shops.rows("select from incoming_webhooks")).length === 0);
  const ordersOf = (phone: string, businessId = 1): Promise<OrderRow[]> =>
    shops.rows<OrderRow>(
      `select o.id, o.chat_id, o.message_id from orders as o
       join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where o.business_id = $2 and contact.phone = $1 order by o.id`,
      [phone, businessId],
    );
  const ordered = async (items: readonly object[], phone = newPhone()) => {
    await tell([ordering(phone, items)]);
    await allProcessed();
    const [order, ...others] = await ordersOf(phone);
    if (!order || others.length > 0) throw new Error("not one order");
    const { json } = await shops.get(`/catalogs/order/${order.id}`);
    const history = (await shops.get(`/catalogs/order/${order.id}/history`)).json.data;
    return { phone, row: order, order: json.data as Answer["json"], history: history as Answer["json"][] };
  };

  it("is found by its message, by users who see the chat", async () => {
    const { row } = await ordered([item("JUGO")]);
    const path = `/catalogs/orders/of-message/${row.message_id}`;
    const { status, json } = await shops.get(path);
    expect([status, json]).to.deep.equal([200, { id: row.id }]);
    const as = async (user: number) =>
      request(`${shops.api}${path}`, { headers: { authorization: `Bearer ${await shops.sessionToken(user)}` } });
    expect((await as(101)).json).to.deep.equal({ id: row.id });
    await shops.rows("update chats set support_user_id = 101 where id = $1", [row.chat_id]);
    expect((await as(102)).status).to.equal(404);
    expect((await shops.get(path, 2)).status).to.equal(404);
    const [other] = await shops.rows<{ id: number }>("select id from messages where id <> $1 limit 1", [
      row.message_id,
    ]);
    expect((await shops.get(`/catalogs/orders/of-message/${other?.id}`)).status).to.equal(404);
    expect((await shops.get("/catalogs/orders/of-message/none")).status).to.equal(400);
  });

  it("becomes an order like one from the board, at the business's own prices", async () => {
    const { phone, row, order } = await ordered([item("SAL-1", { quantity: 2 }), item("JUGO", { item_price: "1" })]);
    expect(isOrder(order), ajv.errorsText(isOrder.errors)).to.equal(true);
    // 2 x 8.10 + 5.25
    expect(order).to.include({ type: "wa", status: 8, total: 21.45, chat_id: row.chat_id, shipment_method: null });
    expect(order.chat.contacto).to.include({ nombre: "Ana", numero: phone });
    const lines = [
      { articleId: 101, quantity: 2, extras: [] },
      { articleId: 110, quantity: 1, extras: [] },
    ];
    const made = (await shops.post("/catalogs/orders", { type: "wa", chatId: row.chat_id, lines })).json.data;
    expect(without(order, own)).to.deep.equal(without(made, own));
    const linesOf = ({ details }: Answer["json"]) => details.map((line: object) => without(line, ["id"]));
    expect(linesOf(order)).to.deep.equal(linesOf(made));
  });

  it("is announced once by `order:changed`, and counts in lists, counters and statistics", async () => {
    const countsNow = async () => (await shops.list("/counts")).json;
    const eventsNow = async () =>
      (
        await shops.rows<{ n: number }>("select count(*)::int as n from commerce_events where name = 'product_picked'")
      )[0];
    const [before, picked] = [await countsNow(), await eventsNow()];
    const { row, order } = await ordered([item("SAL-1"), item("nothing of ours")]);
    const { payload } = await admin.hears(({ name, payload }) => name === "order:changed" && payload.id === row.id);
    expect(payload).to.deep.include({ total: order.total, type: "wa", status: 8, version: 1 });
    expect((await countsNow()).data.pending).to.equal(before.data.pending + 1);
    expect(await eventsNow()).to.deep.equal({ n: (picked?.n ?? 0) + 1 });
    const page = (await shops.list("?limit=5")).json.data;
    expect(page[0].id).to.equal(row.id);
    expect(admin.heard.filter(({ name, payload }) => name === "order:changed" && payload.id === row.id)).to.have.length(
      1,
    );
  });

  it("has a history that begins with its contact, and with all products as the customer saw them", async () => {
    const { history, order, row } = await ordered([
      item("DOS"),
      item("CUÑ", { quantity: "3", item_price: null }),
      item("SAL-1"),
    ]);
    expect(history).to.have.length(1);
    const [{ action, actor, changes, version }] = history as [Answer["json"]];
    const [contact] = await shops.rows<{ id: number }>("select contact_id as id from chats where id = $1", [
      row.chat_id,
    ]);
    expect({ action, actor, version }).to.deep.equal({
      action: "created",
      actor: { type: "contact", id: contact?.id, name: "Ana" },
      version: 1,
    });
    const shown = (retailer_id: string, articulo_id: number | null, changed: object = {}) => ({
      ...{ retailer_id, articulo_id, quantity: 1, shown_price: "9.5", currency: "BOB" },
      ...changed,
    });
    expect(changes.catalog_details).to.deep.equal({
      from: null,
      to: [shown("DOS", null), shown("CUÑ", null, { quantity: 3, shown_price: null }), shown("SAL-1", 101)],
    });
    expect(changes.details.to.map((line: Answer["json"]) => line.articulo_id)).to.deep.equal([101]);
    expect(order.details).to.have.length(1);
  });

  it("keeps unreadable parts unchanged in the history", async () => {
    const { order, history } = await ordered([
      ...[0, -3, 1e9, 1.5, null].map((quantity) => item("SAL-1", { quantity })),
      ...[item({ id: "SAL-1" }), item("S".repeat(5_000)), {}],
    ]);
    expect(order).to.include({ total: 0 });
    expect(order.details).to.deep.equal([]);
    const kept: Answer["json"][] = history[0]?.changes.catalog_details.to;
    expect(kept.map(({ retailer_id, articulo_id, quantity }) => [retailer_id, articulo_id, quantity])).to.deep.equal([
      ...["0", "-3", "1000000000", "1.5", null].map((quantity) => ["SAL-1", null, quantity]),
      ...[
        [null, null, "1"],
        ["S".repeat(200), null, "1"],
        [null, null, null],
      ],
    ]);
  });

  it("is created without lines if the business has none of its products, or cannot represent their price", async () => {
    const unknown = await ordered([item("DOS"), item("constructor"), item("__proto__")]);
    expect(unknown.order).to.include({ total: 0, type: "wa" });
    expect(unknown.order.details).to.deep.equal([]);
    const dear = await ordered([item("PAL", { quantity: 10_000 }), item("SAL-1")]);
    expect(dear.order.details).to.deep.equal([]);
    expect(dear.history[0]?.changes.catalog_details.to).to.have.length(2);
  });

  it("may have a product with free delivery, as on the board", async () => {
    const { order } = await ordered([item("ENV"), item("SAL-1")]);
    expect(order.details.map(({ type }: Answer["json"]) => type)).to.deep.equal(["delivery_coupon", "item"]);
  });

  it("is created once per message, even for repeated and simultaneous deliveries", async () => {
    const [one, other] = [newPhone(), newPhone()];
    const first = ordering(one, [item("SAL-1")]);
    const second = ordering(one, [item("JUGO")]);
    const third = ordering(other, [item("JUGO")]);
    await Promise.all([tell([first, second]), tell([second, first, first]), tell([third, first]), tell([third])]);
    await allProcessed();
    await tell([second]);
    await allProcessed();
    expect(await ordersOf(one)).to.have.length(2);
    expect(await ordersOf(other)).to.have.length(1);
    const [message] = await shops.rows<{ kind: string; details: Answer["json"] }>(
      "select kind, details from messages where business_id = 1 and id = $1",
      [(await ordersOf(other))[0]?.message_id],
    );
    expect(message?.details.order.product_items).to.deep.equal([item("JUGO")]);
  });

  it("is created once by two workers at the same time", async () => {
    const phone = newPhone();
    const message = {
      ...{ sender: "number-1", platformMessageId: "wamid.twice", from: phone, kind: "order", body: "" },
      order: { lines: [{ retailerId: "SAL-1", quantity: 1, price: null, currency: null }] },
      occurredAt: new Date(),
    };
    const record = () =>
      shops.database.transaction((queries) => incomingOn(queries).record({ ...noNews, messages: [message] }));
    const told = (await Promise.all([record(), record(), record()])).flatMap(({ events }) => events);
    expect(await ordersOf(phone)).to.have.length(1);
    expect(told.filter(({ name }) => name === "order:changed")).to.have.length(1);
  });

  it("stays in its business if two businesses sell products with one id", async () => {
    const phone = newPhone();
    await Promise.all([
      tell([ordering(phone, [item("SAL-1")])], 1),
      tell([ordering(phone, [item("SAL-1"), item("JUGO")])], 2),
    ]);
    await allProcessed();
    const lines = await shops.rows<{ business_id: number; article_id: number }>(
      `select line.business_id, line.article_id from order_lines as line
       join orders as o on o.business_id = line.business_id and o.id = line.order_id
       join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where contact.phone = $1 order by 1`,
      [phone],
    );
    expect(lines).to.deep.equal([
      { business_id: 1, article_id: 101 },
      { business_id: 2, article_id: 201 },
    ]);
  });

  it("never causes a deadlock with actions on boards and in chats", async () => {
    const phones = Array.from({ length: 6 }, newPhone);
    for (const businessId of [1, 2])
      await tell(
        phones.map((phone) => ordering(phone, [item("SAL-1")])),
        businessId,
      );
    await allProcessed();
    const deadlocks = async () =>
      (
        await shops.rows<{ n: number }>(
          "select deadlocks::int as n from pg_stat_database where datname = current_database()",
        )
      )[0]?.n;
    const before = await deadlocks();
    const refused: Answer[] = [];
    const done = async (answer: Promise<Answer>) => {
      const got = await answer;
      if (got.status >= 300 && got.status !== 409) refused.push(got);
    };
    const act = (path: string, body: unknown, method = "POST") =>
      done(request(shops.api + path, { method, body, headers: { "x-api-key": shops.appKey(1) } }));
    const rows = (await Promise.all(phones.map((phone) => ordersOf(phone)))).flat();
    for (let round = 0; round < 4; round += 1) {
      const to = ["progress", "on-the-way", "completed", "pending"][round];
      await Promise.all([
        tell([...phones].reverse().map((phone) => ordering(phone, [item("SAL-1"), item("JUGO")]))),
        tell(
          phones.map((phone) => ordering(phone, [item("JUGO")])),
          2,
        ),
        tell(phones.map((phone) => ordering(phone, [item("JUGO")]))),
        ...rows.flatMap(({ id, chat_id }) => [
          act(`/catalogs/order/${id}/status`, { status: to }, "PUT"),
          act(`/chats/${chat_id}/assign`, { soporte_id: round % 2 === 0 ? 102 : null }),
          act("/catalogs/orders", {
            type: "wa",
            chatId: chat_id,
            lines: [{ articleId: 101, quantity: 1, extras: [] }],
          }),
        ]),
      ]);
    }
    await allProcessed();
    expect(refused.map(({ text }) => text)).to.deep.equal([]);
    expect(await deadlocks()).to.equal(before);
    for (const phone of phones) expect(await ordersOf(phone)).to.have.length(1 + 4 * 2 + 4);
    const counted = await shops.rows(
      `select tab, sum(n)::int as n from order_counts where business_id = 1 and agent_id = 0 group by tab having sum(n) > 0
       except select tab, count(*)::int from orders where business_id = 1 group by tab`,
    );
    expect(counted).to.deep.equal([]);
  });

  it("does not name an erased contact in its history", async () => {
    const { row } = await ordered([item("SAL-1")]);
    const [contact] = await shops.rows<{ id: number }>("select contact_id as id from chats where id = $1", [
      row.chat_id,
    ]);
    await request(`${shops.api}/contacts/${contact?.id}`, {
      method: "DELETE",
      headers: { "x-api-key": shops.appKey(1) },
    });
    const { data } = (await shops.get(`/catalogs/order/${row.id}/history`)).json;
    expect(data.at(-1).actor).to.deep.equal({ type: "contact", id: contact?.id, name: null });
  });
});
