import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { orderSchema } from "../../src/orders/adapters/http/order-schemas.ts";
import { mayMove, type OrderState, orderStates, statusesOf, statusOf } from "../../src/orders/domain/states.ts";
import { type Answer, request } from "../support/http.ts";
import type { Listener } from "../support/world.ts";
import { Edits } from "./edits.ts";
import { addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const isOrder = ajv.compile(orderSchema);

describe("the order board", () => {
  let shops: Shops;
  let edits: Edits;
  let keyId: number;
  let agentToken: string;
  let admin: Listener;
  before(async () => {
    shops = await startShops();
    edits = new Edits(shops);
    [{ id: keyId } = { id: 0 }] = await shops.rows<{ id: number }>("select id from app_keys where business_id = 1");
    agentToken = await shops.sessionToken(102);
    admin = await shops.listen(101);
  });
  after(() => shops.stop());

  type Headers = Readonly<Record<string, string>>;
  const key = (): Headers => ({ "x-api-key": shops.appKey(1) });
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const send = (method: string, path: string, body: unknown, headers: Headers): Promise<Answer> =>
    request(`${shops.api}/catalogs/${path}`, { method, body, headers });
  const line = (changes: object = {}) => ({ articleId: 101, quantity: 1, extras: [], ...changes });
  const create = (body: object = {}, headers = key()) =>
    send("POST", "orders", { type: "wa", lines: [line()], ...body }, headers);
  const move = (id: number | string, body: unknown, headers = key()) =>
    send("PUT", `order/${id}/status`, body, headers);
  const drive = (id: number | string, body: unknown, headers = key()) =>
    send("PUT", `order/${id}/driver`, body, headers);

  const expectFailure = ({ status, type, json }: Answer, expected: number, code: string, error?: string): void => {
    expect([status, type, json.code], JSON.stringify(json)).to.deep.equal([expected, "application/json", code]);
    expect(json).to.have.all.keys("error", "code");
    if (error !== undefined) expect(json.error).to.equal(error);
  };
  const orderIn = ({ status, text, json }: Answer, expected: number): Answer["json"] => {
    expect(status, text).to.equal(expected);
    expect(isOrder(json.data), ajv.errorsText(isOrder.errors)).to.equal(true);
    return json.data;
  };
  const latest = async (id: number): Promise<Answer["json"]> => (await edits.history(id)).json.data[0];
  const told = async (id: number, version: number): Promise<Answer["json"]> =>
    (await admin.hears(({ payload }) => payload.id === id && payload.version === version)).payload;
  const untouched = async (work: () => Promise<void>): Promise<void> => {
    const before = await edits.everything();
    await work();
    expect(await edits.everything()).to.deep.equal(before);
  };

  describe("for its callers", () => {
    it("gives no information without a valid key or token", async () => {
      const unauthorized = { error: "Las credenciales no son válidas", code: "unauthorized" };
      const id = await addOrder(shops, 1);
      const strangers: Headers[] = [{}, { "x-api-key": "rk_wrong" }, bearer("wrong"), { authorization: "Basic x" }];
      await untouched(async () => {
        for (const headers of strangers) {
          const answers = [
            await create({}, headers),
            await move(id, { status: "progress" }, headers),
            await drive(id, { driverId: 101 }, headers),
            await send("POST", "orders?token=", {}, headers),
          ];
          for (const { status, json } of answers) expect([status, json]).to.deep.equal([401, unauthorized]);
        }
      });
    });

    it("accepts users of any role, whom the history names in spite of other names in the body (Board.4, Board.11)", async () => {
      const headers = bearer(agentToken);
      const { id, user } = orderIn(await create({ userId: 101, user_id: 101, actor: "key" }, headers), 201);
      expect(user).to.deep.equal({ id: 102, nombre: "Ana Agente" });
      orderIn(await move(id, { status: "progress", userId: 101 }, headers), 200);
      orderIn(await drive(id, { driverId: 101, user_id: 101 }, headers), 200);
      const { data } = (await edits.history(id)).json;
      const agent = { type: "user", id: 102, name: "Ana Agente" };
      expect(data.map(({ actor }: Answer["json"]) => actor)).to.deep.equal([agent, agent, agent]);
    });
  });

  describe("POST /catalogs/orders: create an order", () => {
    const everything = {
      chatId: 102,
      type: "app",
      shipmentMethod: "delivery",
      paymentMethod: "qr",
      sucursalId: 102,
      location_picked: "Oficina",
      raw_adress: "Av. Arce 2799",
      paid: false,
      scheduleAt: "2026-05-04T18:30:00",
      lat: -16.5,
      lng: -68.1,
      zoneId: 101,
    };

    it("stores its fields and lines, and answers like a read (Board.1, Board.2, Board.3)", async () => {
      const extras = [{ id: 101, customPrice: 0.3, picked: "Doble" }, { id: 102, customPrice: 9 }, { id: 999_999 }];
      const answer = await create({ ...everything, lines: [line({ quantity: 2, extras }), line({ articleId: 102 })] });
      const order = orderIn(answer, 201);
      expect(answer.headers.etag).to.equal('"v1"');
      expect((await shops.get(`/catalogs/order/${order.id}`)).json.data).to.deep.equal(order);
      expect(order).to.include({
        ...{ status: 8, type: "app", shipment_method: "delivery", payment_method: "qr", sucursal_id: 102 },
        ...{ location_picked: "Oficina", raw_adress: "Av. Arce 2799", paid: false, lat: -16.5, lng: -68.1 },
        // The time in the request is in the business's zone, America/La_Paz.
        ...{ schedule_at: "2026-05-04T22:30:00.000Z", zone_id: 101, chat_id: 102, user: null, cancel_reason: null },
        // 2 x (8.10 + 0.30 + 3.20) + 12.20 + 10.50
        total: 45.9,
      });
      const [first, second] = order.details;
      expect(order.details).to.have.length(2);
      expect(first).to.deep.include({ quantity: 2, type: "item", retailer_id: "SAL-1" });
      expect(first.extras.map(({ extra_id }: { extra_id: number }) => extra_id)).to.deep.equal([101, 102]);
      expect(second).to.deep.include({ quantity: 1, retailer_id: null, extras: [] });
      expect(order.extra_data).to.deep.equal({
        version: 1,
        customExtras: { [order.id]: { [`101:${first.id}`]: { price: 0.3, picked: "Doble" } } },
      });
    });

    it("counts its products and extras in the statistics (Board.2)", async () => {
      const lines = [line({ extras: [{ id: 103 }, { id: 201 }] }), line({ articleId: 102, extras: [{ id: 101 }] })];
      const { id } = orderIn(await create({ lines }), 201);
      expect(await edits.statistics(id)).to.deep.equal([
        { name: "product_picked", article_id: 101, extra_id: null },
        { name: "extra_picked", article_id: 101, extra_id: 103 },
        { name: "extra_picked", article_id: 101, extra_id: 201 },
        { name: "product_picked", article_id: 102, extra_id: null },
        { name: "extra_picked", article_id: 102, extra_id: 101 },
      ]);
    });

    it("supports a product with free delivery, and the branch of the zone on request (Board.2, Board.3)", async () => {
      const lines = [line(), line({ articleId: 103 })];
      const order = orderIn(await create({ ...everything, shouldUpdateSucursal: true, lines }), 201);
      expect(order).to.include({ sucursal_id: 101, total: 8.1 });
      expect(order.details[1].type).to.equal("delivery_coupon");
    });

    it("accepts a hundred lines with fifty extras each, in their order", async () => {
      const extras = Array.from({ length: 50 }, () => ({ id: 102, customPrice: 0.01, picked: "ñ".repeat(255) }));
      const lines = Array.from({ length: 100 }, (_, n) => line({ quantity: n + 1, extras }));
      const order = orderIn(await create({ lines }), 201);
      const quantities = order.details.map(({ quantity }: { quantity: number }) => quantity);
      expect(quantities).to.deep.equal(Array.from({ length: 100 }, (_, n) => n + 1));
      // 5050 x (8.10 + 50 x 0.01)
      expect(order.total).to.equal(43_430);
    });

    it("starts its history with its creator and contents (Board.4), and notifies clients (Board.6)", async () => {
      const { id, details } = orderIn(await create({ chatId: 101, paid: true, lines: [line({ quantity: 3 })] }), 201);
      const { version, action, actor, changes } = await latest(id);
      expect({ version, action, actor }).to.deep.equal({
        version: 1,
        action: "created",
        actor: { type: "key", id: keyId, name: "test" },
      });
      expect(changes).to.deep.equal({
        status: { from: null, to: 8 },
        type: { from: null, to: "wa" },
        chat_id: { from: null, to: 101 },
        paid: { from: null, to: true },
        details: {
          from: null,
          to: [{ id: details[0].id, articulo_id: 101, quantity: 3, type: "item", extras: [] }],
        },
      });
      expect(await told(id, 1)).to.include({ status: 8, total: 24.3, driver: null });
      expect(await edits.logged(id)).to.equal(1);
    });

    it("calculates its delivery price in the background (§12.5)", async () => {
      await shops.control("PUT", "/delivery-price", { price: "4.44" });
      try {
        const { id } = orderIn(await create({ ...everything, type: "wa" }), 201);
        // 8.10 + 4.44
        expect(await told(id, 2)).to.include({ speedy_delivery_price: 4.44, total: 12.54 });
      } finally {
        await shops.control("PUT", "/delivery-price", { price: null });
      }
    });

    it("creates one order for one Idempotency-Key, even for many requests at once", async () => {
      const headers = { ...key(), "idempotency-key": "make-once" };
      const [{ n } = { n: 0 }] = await shops.rows<{ n: number }>("select count(*) as n from orders");
      const first = await create({ chatId: 103 }, headers);
      const again = await create({ chatId: 103 }, headers);
      expect([again.status, again.json]).to.deep.equal([201, first.json]);
      expect(again.headers).to.include({ "idempotent-replay": "true", etag: '"v1"' });
      expect((await create({ chatId: 102 }, headers)).status).to.equal(422);
      const many = { ...key(), "idempotency-key": "make-once-of-many" };
      const answers = await Promise.all(Array.from({ length: 8 }, () => create({}, many)));
      for (const { status } of answers) expect(status).to.be.oneOf([201, 409]);
      expect((await shops.rows<{ n: number }>("select count(*) as n from orders"))[0]?.n).to.equal(n + 2);
    });

    const missing: [changes: object, code: string][] = [
      [{ chatId: 999_999 }, "chat_not_found"],
      [{ chatId: 201 }, "chat_not_found"],
      [{ sucursalId: 201 }, "branch_not_found"],
      [{ zoneId: 201 }, "zone_not_found"],
      [{ zone_id: 999_999 }, "zone_not_found"],
      [{ lines: [line(), line({ articleId: 201 })] }, "article_not_found"],
      [{ lines: [line({ articleId: 999_999 })] }, "article_not_found"],
    ];
    for (const [changes, code] of missing) {
      it(`refuses ${JSON.stringify(changes)} with 404 ${code}, and creates nothing (Board.3)`, () =>
        untouched(async () => {
          const answer = await create(changes);
          expectFailure(answer, 404, code);
          expect(answer.text).not.to.match(/\d/);
        }));
    }

    const wrong: [changes: object, complaint: string][] = [
      [{ type: undefined }, "type es requerido"],
      [{ type: "" }, "type es requerido"],
      [{ type: 5 }, "type debe ser un texto"],
      [{ type: "x".repeat(101) }, "type no puede tener más de 100 caracteres"],
      [{ chatId: "101" }, "chatId debe ser un número"],
      [{ lines: undefined }, "lines es requerido"],
      [{ lines: {} }, "lines debe ser un arreglo"],
      [{ lines: [] }, "lines no es válido"],
      [{ lines: Array(101).fill(line()) }, "lines no puede tener más de 100 elementos"],
      [{ lines: [line({ articleId: undefined })] }, "lines[0] debe tener articleId"],
      [{ lines: [line({ extras: undefined })] }, "lines[0] debe tener extras"],
      [{ lines: [line(), line({ quantity: 0 })] }, "lines[1].quantity no es válido"],
      [{ lines: [line({ quantity: 10_001 })] }, "lines[0].quantity no es válido"],
      [{ lines: [line({ quantity: 1.5 })] }, "lines[0].quantity debe ser un número"],
      [
        { lines: [line({ extras: Array(51).fill({ id: 101 }) })] },
        "lines[0].extras no puede tener más de 50 elementos",
      ],
      [{ lines: [line({ extras: [{}] })] }, "lines[0].extras[0] debe tener id"],
      [{ lines: [line({ extras: [{ id: 101, customPrice: -1 }] })] }, "lines[0].extras[0].customPrice no es válido"],
      [
        { lines: [line(), line({ extras: [{ id: 101, customPrice: 0.001 }] })] },
        "lines[1].extras[0].customPrice admite hasta dos decimales",
      ],
      [{ shipmentMethod: "drone" }, "shipmentMethod no es un valor permitido"],
      [{ lat: 91 }, "lat no es válido"],
      [{ zoneId: 101, zone_id: 102 }, "zoneId y zone_id no coinciden"],
      [{ scheduleAt: "mañana" }, "scheduleAt debe ser una fecha ISO 8601"],
      [{ raw_adress: "a\0" }, "raw_adress no es válido"],
    ];
    for (const [changes, complaint] of wrong) {
      it(`answers a wrong field with '${complaint}'`, () =>
        untouched(async () => expectFailure(await create(changes), 400, "invalid_input", complaint)));
    }

    it("refuses a total that a number cannot represent exactly, and creates nothing (Board.5)", () =>
      untouched(async () => {
        const extras = [{ id: 101, customPrice: 999_999_999_999.99, picked: "x" }];
        expectFailure(await create({ lines: [line({ quantity: 91, extras })] }), 400, "order_too_dear");
      }));

    it("answers a failure of the database in its own words, and creates nothing", async () => {
      await shops.rows("alter table order_changes rename to order_changes_away");
      try {
        expectFailure(await create(), 500, "unexpected");
      } finally {
        await shops.rows("alter table order_changes_away rename to order_changes");
      }
    });
  });

  describe("PUT /catalogs/order/{orderId}/status: move an order", () => {
    const methods = ["delivery", "pickup", null] as const;

    for (const [who, headers] of [
      ["manager", () => key()],
      ["manager", () => bearer(shops.token)],
      ["agent", () => bearer(agentToken)],
    ] as const) {
      it(`allows the ${who} exactly the moves of the table, from each stored status (Board.7 to Board.10)`, async () => {
        for (const method of methods) {
          for (const from of orderStates) {
            for (const status of statusesOf[from]) {
              for (const to of orderStates) {
                const id = await addOrder(shops, 1, { status, shipment_method: method });
                const answer = await move(id, { status: to, reason: "No quiere" }, headers());
                const what = `${method}: ${status} to ${to}`;
                if (mayMove(who, from, to, method)) {
                  const order = orderIn(answer, 200);
                  expect([order.status, answer.headers.etag], what).to.deep.equal([statusOf[to], '"v2"']);
                  expect(order.cancel_reason, what).to.equal(to === "cancelled" ? "No quiere" : null);
                } else {
                  const isForOthers = mayMove("manager", from, to, method);
                  expectFailure(answer, isForOthers ? 403 : 409, isForOthers ? "forbidden" : "wrong_transition");
                  const [row] = await shops.rows("select status, version from orders where id = $1", [id]);
                  expect(row, what).to.deep.equal({ status, version: 1 });
                  expect(await edits.changes(id), what).to.deep.equal([]);
                }
              }
            }
          }
        }
      });
    }

    it("is announced with the order, and recorded in its history with the actor (Board.11, Board.12)", async () => {
      const id = await addOrder(shops, 1, { status: 3 });
      orderIn(await move(id, { status: "cancelled", reason: "Sin stock" }, bearer(agentToken)), 200);
      const { action, actor, changes, version } = await latest(id);
      expect({ action, version, actor }).to.deep.equal({
        action: "cancelled",
        version: 2,
        actor: { type: "user", id: 102, name: "Ana Agente" },
      });
      expect(changes).to.deep.equal({
        status: { from: 3, to: 5 },
        cancel_reason: { from: null, to: "Sin stock" },
      });
      expect(await told(id, 2)).to.include({ status: 5, cancel_reason: "Sin stock" });

      orderIn(await move(id, { status: "pending" }), 200);
      const opened = await latest(id);
      expect([opened.action, opened.changes]).to.deep.equal([
        "status_changed",
        { status: { from: 5, to: 8 }, cancel_reason: { from: "Sin stock", to: null } },
      ]);
      expect(await told(id, 3)).to.include({ status: 8, cancel_reason: null });
      expect(await edits.logged(id)).to.equal(2);
    });

    it("requires a reason only for a cancellation (Board.8)", async () => {
      const id = await addOrder(shops, 1);
      await untouched(async () => {
        for (const reason of [undefined, null, "", " \n"]) {
          const answer = await move(id, { status: "cancelled", reason });
          expectFailure(answer, 400, "invalid_input", "reason es requerido para cancelar");
        }
      });
      expect(orderIn(await move(id, { status: "progress", reason: "No importa" }), 200).cancel_reason).to.equal(null);
      expect(await latest(id)).to.deep.include({ changes: { status: { from: 8, to: 1 } } });
    });

    it("gives the customer of a reopened order time before the bot cancels it (Board.9)", async () => {
      const day = new Date(Date.now() - 86_400_000).toISOString();
      const [again, never] = [
        await addOrder(shops, 1, { status: 5, created_at: day }),
        await addOrder(shops, 1, { created_at: day }),
      ];
      orderIn(await move(again, { status: "pending" }), 200);
      await resolve(shops.container, tokens.cancelInactive).execute();
      const stored = async (id: number) => (await shops.rows("select status from orders where id = $1", [id]))[0];
      expect([await stored(again), await stored(never)]).to.deep.equal([{ status: 8 }, { status: 5 }]);
      await shops.rows("update orders set reopened_at = now() - interval '2 hours' where id = $1", [again]);
      await resolve(shops.container, tokens.cancelInactive).execute();
      expect(await stored(again)).to.deep.equal({ status: 5 });
    });

    it("calculates the delivery price of a reopened order without one (§12.5)", async () => {
      await shops.control("PUT", "/delivery-price", { price: "3.30" });
      const id = await addOrder(shops, 1, { status: 5, latitude: -16.5, longitude: -68.1 });
      orderIn(await move(id, { status: "pending" }), 200);
      expect(await told(id, 3)).to.include({ speedy_delivery_price: 3.3, status: 8 });
      await shops.control("PUT", "/delivery-price", { price: null });
    });

    it("is made only at the version in If-Match (Board.13)", async () => {
      const id = await addOrder(shops, 1);
      const at = (tag: string) => ({ ...key(), "if-match": tag });
      orderIn(await move(id, { status: "progress" }, at('"v1"')), 200);
      await untouched(async () => {
        // `v1` is out of date, so even a move to the state that the order already has is refused.
        for (const status of ["on-the-way", "progress"]) {
          expectFailure(await move(id, { status }, at('"v1"')), 412, "order_moved_on", "La orden cambió");
        }
        expectFailure(
          await move(id, { status: "on-the-way" }, at("v2")),
          400,
          "invalid_input",
          "If-Match no es válido",
        );
      });
      orderIn(await move(id, { status: "on-the-way" }, at('"v2", "v7"')), 200);
      expectFailure(await move(999_999, { status: "progress" }, at("*")), 404, "order_not_found");
    });

    it("accepts one of many simultaneous requests for the same move", async () => {
      const id = await addOrder(shops, 1);
      const answers = await Promise.all(Array.from({ length: 10 }, () => move(id, { status: "progress" })));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectFailure(answer, 409, "wrong_transition");
      }
      expect(await edits.changes(id)).to.have.length(1);
    });

    it("answers 404 for another business's order", async () => {
      const theirs = await addOrder(shops, 2);
      await untouched(async () => {
        for (const id of [theirs, 999_999]) {
          const answer = await move(id, { status: "progress" });
          expectFailure(answer, 404, "order_not_found", "La orden no existe");
        }
      });
    });

    const wrong: [body: object, complaint: string][] = [
      [{}, "status es requerido"],
      [{ status: "done" }, "status no es un valor permitido"],
      [{ status: 8 }, "status debe ser un texto"],
      [{ status: "cancelled", reason: 5 }, "reason debe ser un texto"],
      [{ status: "cancelled", reason: "x".repeat(501) }, "reason no puede tener más de 500 caracteres"],
    ];
    for (const [body, complaint] of wrong) {
      it(`answers a wrong field with '${complaint}'`, async () => {
        const id = await addOrder(shops, 1);
        await untouched(async () => expectFailure(await move(id, body), 400, "invalid_input", complaint));
      });
    }
  });

  describe("PUT /catalogs/order/{orderId}/driver: assign a driver to an order", () => {
    const raul = { id: 101, nombre: "Raúl Rider", telefono: null };

    it("sets and removes the driver, with history and event (Board.14, Board.15, Board.16)", async () => {
      const id = await addOrder(shops, 1, { status: 4 });
      const order = orderIn(await drive(id, { driverId: 101 }, bearer(agentToken)), 200);
      expect(order.driver).to.deep.equal(raul);
      expect(order.tracker).to.deep.equal({ lat: -16.5, lng: -68.15, at: "2026-01-02T03:04:05.000Z" });
      const { action, actor, changes } = await latest(id);
      expect([action, actor.id, changes]).to.deep.equal([
        "driver_changed",
        102,
        { driver_id: { from: null, to: 101 } },
      ]);
      expect((await told(id, 2)).driver).to.deep.equal(raul);

      const again = await drive(id, { driverId: 101 });
      expect([again.status, again.json.data.version]).to.deep.equal([200, order.version]);
      expect((await latest(id)).changes).to.deep.equal({ driver_id: { from: null, to: 101 } });
      const without = orderIn(await drive(id, { driverId: null }), 200);
      expect([without.driver, without.tracker]).to.deep.equal([null, undefined]);
      expect((await latest(id)).changes).to.deep.equal({ driver_id: { from: 101, to: null } });
      expect((await told(id, 3)).driver).to.equal(null);
    });

    it("is refused if the order or the driver belongs to another business (Board.14)", async () => {
      const id = await addOrder(shops, 1);
      const theirs = await addOrder(shops, 2);
      await untouched(async () => {
        for (const driverId of [201, 999_999]) {
          expectFailure(await drive(id, { driverId }), 404, "driver_not_found", "El repartidor no existe");
        }
        for (const other of [theirs, 999_999]) {
          expectFailure(await drive(other, { driverId: 101 }), 404, "order_not_found");
        }
        expectFailure(await drive(id, {}), 400, "invalid_input", "driverId es requerido");
        expectFailure(await drive(id, { driverId: "101" }), 400, "invalid_input", "driverId debe ser un número");
        expectFailure(await drive("x", { driverId: 101 }), 400, "invalid_input", "orderId debe ser un número");
      });
    });

    it("is made only at the version in If-Match (Board.17)", async () => {
      const id = await addOrder(shops, 1);
      const headers = { ...key(), "if-match": '"v1"' };
      const answer = await drive(id, { driverId: 101 }, headers);
      orderIn(answer, 200);
      expect(answer.headers.etag).to.equal('"v2"');
      await untouched(async () => expectFailure(await drive(id, { driverId: null }, headers), 412, "order_moved_on"));
    });
  });

  it("changes every list and counter at once (Board.7)", async () => {
    await shops.rows("truncate orders cascade");
    const { id } = orderIn(await create({ chatId: 102 }), 201);
    const stateIs = async (state: OrderState): Promise<void> => {
      const { json } = await shops.list(`?status=${state}`);
      expect(json.data.map((order: { id: number }) => order.id)).to.deep.equal([id]);
      const none = Object.fromEntries(orderStates.map((each) => [each, 0]));
      expect((await shops.list("/counts")).json.data).to.deep.equal({ ...none, [state]: 1 });
    };
    await stateIs("pending");
    for (const state of ["progress", "on-the-way", "completed"] as const) {
      orderIn(await move(id, { status: state }, bearer(agentToken)), 200);
      await stateIs(state);
    }
  });
});
