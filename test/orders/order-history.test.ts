import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { Edits, expectError } from "./edits.ts";
import { addOrder, openShop } from "./shop.ts";

describe("GET /catalogs/order/{orderId}/history", () => {
  let world: World;
  let edits: Edits;
  let keyId: number;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)], environment: { ROLE: "api" } });
    edits = new Edits(world);
    for (const id of [1, 2]) await openShop(world, id);
    [{ id: keyId } = { id: 0 }] = await world.rows<{ id: number }>("select id from app_keys where business_id = 1");
  });
  after(() => world.stop());

  const read = async (orderId: number, query = ""): Promise<Answer["json"]> => {
    const answer = await edits.history(orderId, query);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };

  it("is empty for an order without changes", async () => {
    const orderId = await addOrder(world, 1);
    expect(await read(orderId)).to.deep.equal({ data: [], total: 0, page: 1, limit: 20, hasNextPage: false });
  });

  it("shows old and new values of an update, with the API's names, and the key that made it", async () => {
    const orderId = await addOrder(world, 1);
    await world.rows("update orders set speedy_price = 7.5, scheduled_at = '2026-01-02T03:04:05Z' where id = $1", [
      orderId,
    ]);
    const scheduleAt = "2026-05-04T18:30:00-04:00";
    const same = { shipmentMethod: "delivery", paymentMethod: "cash" };
    await edits.update({
      orderId,
      ...same,
      sucursalId: 102,
      raw_adress: "2026-01-01T00:00:00",
      scheduleAt,
      lat: -16.5,
    });
    const { data } = await read(orderId);
    const [{ id, at, ...change }] = data;
    expect(new Date(at).toISOString()).to.equal(at);
    expect(id).to.be.a("number");
    expect(change).to.deep.equal({
      version: 2,
      action: "updated",
      actor: { type: "key", id: keyId, name: "test" },
      changes: {
        sucursal_id: { from: 101, to: 102 },
        raw_adress: { from: null, to: "2026-01-01T00:00:00" },
        schedule_at: { from: "2026-01-02T03:04:05.000Z", to: "2026-05-04T22:30:00.000Z" },
        lat: { from: null, to: -16.5 },
        speedy_delivery_price: { from: 7.5, to: null },
      },
    });
  });

  it("shows which products were added and removed, with their extras", async () => {
    const orderId = await addOrder(world, 1);
    const extras = [{ id: 101, customPrice: 0.5, picked: "Doble" }, { id: 102 }, { id: 999_999 }];
    await edits.add({ orderId, articleId: 101, quantity: 2, extras });
    const [line] = await edits.lines(orderId);
    await edits.remove({ detailId: line?.id, orderId });
    const { data, total } = await read(orderId);
    const detail = { id: line?.id, articulo_id: 101, quantity: 2, type: "item" };
    expect(total).to.equal(2);
    expect(data.map(({ version, action, changes }: Answer["json"]) => ({ version, action, changes }))).to.deep.equal([
      {
        version: 3,
        action: "line_removed",
        changes: { detail: { from: { ...detail, extras: [{ extra_id: 101 }, { extra_id: 102 }] }, to: null } },
      },
      {
        version: 2,
        action: "line_added",
        changes: {
          detail: {
            from: null,
            to: { ...detail, extras: [{ extra_id: 101, customPrice: 0.5, picked: "Doble" }, { extra_id: 102 }] },
          },
        },
      },
    ]);
  });

  it("has no entries for failures, and an entry without changes for an update that changed nothing", async () => {
    const orderId = await addOrder(world, 1);
    await edits.update({ orderId, zoneId: 999_999 });
    await edits.update({ orderId }, { "if-match": '"v5"' });
    await edits.add({ orderId, articleId: 999_999 });
    expect((await read(orderId)).data).to.deep.equal([]);
    for (const _ of [1, 2]) await edits.update({ orderId });
    const { data } = await read(orderId);
    expect(data[0]).to.deep.include({ version: 3, changes: {} });
  });

  it("names users but not the bot, and keeps entries of deleted users and keys", async () => {
    const orderId = await addOrder(world, 1);
    await world.rows(
      `insert into order_changes (business_id, order_id, version, action, actor, actor_id, changes)
       values (1, $1, 2, 'updated', 'user', 102, '{}'),
              (1, $1, 3, 'cancelled', 'bot', null, '{"status": {"from": 8, "to": 5}, "cancelReason": {"from": null, "to": "x"}}'),
              (1, $1, 4, 'updated', 'key', 999999, '{}'), (1, $1, 5, 'updated', 'user', 201, '{}')`,
      [orderId],
    );
    const { data } = await read(orderId);
    expect(data.map(({ actor }: Answer["json"]) => actor)).to.deep.equal([
      { type: "user", id: 201, name: null },
      { type: "key", id: 999_999, name: null },
      { type: "bot", id: null, name: null },
      { type: "user", id: 102, name: "Ana Agente" },
    ]);
    expect(data[2].changes).to.deep.equal({ status: { from: 8, to: 5 }, cancel_reason: { from: null, to: "x" } });
  });

  it("is listed newest first in pages of 20 or the requested size, up to 100", async () => {
    const orderId = await addOrder(world, 1);
    await world.rows(
      `insert into order_changes (business_id, order_id, version, action, actor, changes)
       select 1, $1, version, 'updated', 'bot', '{}' from generate_series(2, 131) as version order by version`,
      [orderId],
    );
    const versions = async (query: string) => {
      const { data, ...page } = await read(orderId, query);
      return { ...page, versions: data.map(({ version }: Answer["json"]) => version) };
    };
    const down = (from: number, count: number) => Array.from({ length: count }, (_, n) => from - n);
    const total = 130;
    const pages: [query: string, expected: object][] = [
      ["", { total, page: 1, limit: 20, hasNextPage: true, versions: down(131, 20) }],
      ["?page=7", { total, page: 7, limit: 20, hasNextPage: false, versions: down(11, 10) }],
      ["?page=13&limit=10", { total, page: 13, limit: 10, hasNextPage: false, versions: down(11, 10) }],
      ["?limit=100", { total, page: 1, limit: 100, hasNextPage: true, versions: down(131, 100) }],
      ["?limit=5000", { total, page: 1, limit: 100, hasNextPage: true, versions: down(131, 100) }],
      ["?page=1000000", { total, page: 1_000_000, limit: 20, hasNextPage: false, versions: [] }],
    ];
    for (const [query, expected] of pages) expect(await versions(query), query).to.deep.equal(expected);
  });

  it("refuses wrong parameters, and missing orders like another business's", async () => {
    const theirs = await addOrder(world, 2);
    for (const orderId of [999_999, theirs]) expectError(await edits.history(orderId), 404, "Order not found");
    expectError(await edits.history("x"), 400, "orderId debe ser un número");
    expectError(await edits.history("0"), 400, "orderId no es válido");
    for (const [query, complaint] of [
      ["?page=0", "page no es válido"],
      ["?page=x", "page debe ser un número"],
      ["?limit=0", "limit no es válido"],
      ["?limit=-1", "limit no es válido"],
      ["?page=-1", "page no es válido"],
      ["?page=1.5", "page no es válido"],
      ["?page=", "page debe ser un número"],
    ] as const) {
      expectError(await edits.history(theirs, query), 400, complaint);
    }
    const withoutKey = await request(`${world.api}/catalogs/order/1/history`);
    expect([withoutKey.status, withoutKey.json.code]).to.deep.equal([401, "unauthorized"]);
  });
});
