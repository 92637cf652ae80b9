import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, type Listener, startWorld, type World } from "../support/world.ts";
import { Edits, expectAnswer, expectError } from "./edits.ts";
import { addLine, addOrder, openShop } from "./shop.ts";

describe("PUT /catalogs/order/update: update an order", () => {
  let world: World;
  let edits: Edits;
  let admin: Listener;
  let stranger: Listener;
  before(async () => {
    world = await startWorld({
      businesses: [aBusiness(1), aBusiness(2), aBusiness(3, { flags: { timezone: "Europe/Madrid" } })],
      environment: { ROLE: "api" },
    });
    edits = new Edits(world);
    for (const id of [1, 2, 3]) await openShop(world, id);
    await world.rows("insert into zones (business_id, id, name, price) values (1, 150, 'Lejos', 25)");
    [admin, stranger] = [await world.listen(101), await world.listen(201)];
  });
  after(() => world.stop());

  /**
   * Values for the six fields that an update writes even if the request omits them (§9.1). The first three values are
   * the ones that `addOrder` stores.
   */
  const kept = {
    shipmentMethod: "delivery",
    paymentMethod: "cash",
    sucursalId: 101,
    location_picked: "Casa",
    raw_adress: "Calle 1",
    paid: false,
  };
  const newOrder = async (values: object = {}): Promise<number> => {
    const orderId = await addOrder(world, 1);
    const all = {
      latitude: -16.5,
      longitude: -68.1,
      scheduled_at: "2026-03-04T12:00:00Z",
      speedy_price: 7.5,
      ...values,
    };
    const names = Object.keys(all).map((name, index) => `${name} = $${index + 2}`);
    await world.rows(`update orders set ${names.join(", ")} where business_id = 1 and id = $1`, [
      orderId,
      ...Object.values(all),
    ]);
    return orderId;
  };
  const updated = async (body: object): Promise<Answer["json"]> => {
    const answer = await edits.update(body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json.order;
  };

  describe("writes", () => {
    it("all given fields, and answers with the order, its branch, its zone and the zone's branch (§9.3)", async () => {
      const orderId = await newOrder();
      const answer = await edits.update({
        orderId,
        shipmentMethod: "pickup",
        paymentMethod: "card",
        sucursalId: 102,
        location_picked: "Oficina",
        raw_adress: "Av. 6 de Agosto 12",
        paid: true,
        scheduleAt: "2026-05-04T18:30:00-04:00",
        lat: -17.1,
        lng: -63.2,
        zoneId: 101,
      });
      expectAnswer(answer, 200, {
        order: {
          id: orderId,
          shipment_method: "pickup",
          payment_method: "card",
          sucursal_id: 102,
          location_picked: "Oficina",
          raw_adress: "Av. 6 de Agosto 12",
          paid: true,
          schedule_at: "2026-05-04T22:30:00.000Z",
          lat: -17.1,
          lng: -63.2,
          zone_id: 101,
          sucursal: { id: 102, nombre: "Sur" },
          zona: { id: 101, precio: "10.50", sucursal: { id: 101, nombre: "Centro" } },
        },
      });
      expect(answer.headers.etag).to.equal('"v2"');
      expect(await edits.row(orderId)).to.deep.include({
        version: 2,
        shipment_method: "pickup",
        payment_method: "card",
        branch_id: 102,
        location_label: "Oficina",
        raw_address: "Av. 6 de Agosto 12",
        paid: true,
        scheduled_at: new Date("2026-05-04T22:30:00Z"),
        latitude: -17.1,
        longitude: -63.2,
        zone_id: 101,
      });
    });

    const six = {
      shipmentMethod: "shipment_method",
      paymentMethod: "payment_method",
      sucursalId: "sucursal_id",
      location_picked: "location_picked",
      raw_adress: "raw_adress",
      paid: "paid",
    };
    for (const [field, shown] of Object.entries(six)) {
      it(`null if ${field} is omitted, and keeps the others that are sent again (§9.1)`, async () => {
        const orderId = await newOrder();
        await updated({ orderId, ...kept });
        const { [field as keyof typeof kept]: _, ...rest } = kept;
        const order = await updated({ orderId, ...rest });
        const names = Object.values(six).filter((name) => name !== shown);
        expect(order).to.include({ [shown]: null });
        expect(names.filter((name) => order[name] === null)).to.deep.equal([]);
        expect(await updated({ orderId, ...kept, [field]: null })).to.include({ [shown]: null });
      });
    }

    it("null to all six fields if only the id is sent, without an error (§9.1)", async () => {
      const order = await updated({ orderId: await newOrder() });
      for (const name of Object.values(six)) expect(order[name], name).to.equal(null);
      expect(order.sucursal).to.equal(null);
    });

    it("schedule, place and zone only if they are sent, also as null (§9.6)", async () => {
      const orderId = await newOrder();
      expect(await updated({ orderId, ...kept })).to.deep.include({
        schedule_at: "2026-03-04T12:00:00.000Z",
        lat: -16.5,
        lng: -68.1,
        zone_id: 101,
      });
      expect(await updated({ orderId, ...kept, scheduleAt: null, lat: null, lng: null, zoneId: null })).to.include({
        schedule_at: null,
        lat: null,
        lng: null,
        zone_id: null,
        zona: null,
      });
    });

    it("schedule and zone also by their other names, which must have the same value (§9.6)", async () => {
      const orderId = await newOrder();
      const [schedule_at, zone_id] = ["2026-07-08T09:10:11Z", 102];
      const expected = { schedule_at: "2026-07-08T09:10:11.000Z", zone_id: 102 };
      expect(await updated({ orderId, ...kept, schedule_at, zone_id })).to.include(expected);
      const both = { schedule_at, scheduleAt: schedule_at, zone_id, zoneId: zone_id };
      expect(await updated({ orderId, ...kept, ...both })).to.include(expected);
      const sameMoment = { schedule_at, scheduleAt: "2026-07-08T05:10:11-04:00" };
      expect(await updated({ orderId, ...kept, ...sameMoment })).to.include({ schedule_at: expected.schedule_at });
      const sameDay = { schedule_at: "2026-07-08", scheduleAt: "2026-07-08T00:00:00" };
      expect(await updated({ orderId, ...kept, ...sameDay })).to.include({ schedule_at: "2026-07-08T04:00:00.000Z" });
      for (const scheduleAt of ["2026-07-08T09:10:12Z", "2026-07-08T09:10:11"]) {
        const message = "scheduleAt y schedule_at no coinciden";
        expectError(await edits.update({ orderId, ...kept, schedule_at, scheduleAt }), 400, message);
      }
      expectError(await edits.update({ orderId, ...kept, zone_id, zoneId: 101 }), 400, "zoneId y zone_id no coinciden");
      const otherDate = { schedule_at, scheduleAt: null };
      expectError(await edits.update({ orderId, ...kept, ...otherDate }), 400, "scheduleAt y schedule_at no coinciden");
    });

    it("a schedule without a zone in the business's zone", async () => {
      const orderId = await newOrder();
      for (const [given, meant] of [
        ["2026-05-04T18:30:00", "2026-05-04T22:30:00.000Z"],
        ["2026-05-04", "2026-05-04T04:00:00.000Z"],
        ["2026-05-04T18:30:00+02:00", "2026-05-04T16:30:00.000Z"],
        ["2026-05-04 18:30", "2026-05-04T22:30:00.000Z"],
      ]) {
        expect((await updated({ orderId, ...kept, scheduleAt: given })).schedule_at, given).to.equal(meant);
      }
      const ofMadrid = await addOrder(world, 3);
      const { json } = await request(`${world.api}/catalogs/order/update`, {
        method: "PUT",
        body: { orderId: ofMadrid, scheduleAt: "2026-07-04T18:30:00" },
        headers: { "x-api-key": world.appKey(3) },
      });
      expect(json.order.schedule_at).to.equal("2026-07-04T16:30:00.000Z");
    });

    it("a schedule in the zone of La Paz if the business has no valid zone", async () => {
      const orderId = await newOrder();
      for (const timezone of ["Marte/Olimpo", ""]) {
        await world.rows("update businesses set feature_flags = $1 where id = 1", [JSON.stringify({ timezone })]);
        const { schedule_at } = await updated({ orderId, ...kept, scheduleAt: "2026-05-04T18:30" });
        expect(schedule_at, timezone).to.equal("2026-05-04T22:30:00.000Z");
      }
      await world.rows("update businesses set feature_flags = '{}' where id = 1");
    });

    it("no other column, whatever fields are sent", async () => {
      const orderId = await newOrder();
      const others = { status: 4, empresa_id: 2, version: 99, extra_data: { x: 1 }, chat_id: null, cancel_reason: "x" };
      await updated({ orderId, ...kept, ...others });
      expect(await edits.row(orderId)).to.deep.include({
        status: 8,
        business_id: 1,
        version: 2,
        extra_data: { version: 1, customExtras: {} },
        chat_id: 101,
        cancel_reason: null,
      });
    });

    it("unchanged values too, and counts that as a change", async () => {
      const orderId = await newOrder({ updated_at: "2026-01-01T00:00:00Z" });
      for (const version of [2, 3]) {
        expect((await edits.update({ orderId, ...kept })).headers.etag).to.equal(`"v${version}"`);
      }
      const after = await edits.row(orderId);
      expect(after.version).to.equal(3);
      expect(after.updated_at.getTime()).to.be.above(Date.parse("2026-01-01T00:00:00Z"));
      expect((await edits.changes(orderId)).map(({ version }) => version)).to.deep.equal([2, 3]);
    });
  });

  describe("uses the branch of the zone with shouldUpdateSucursal", () => {
    const cases: [what: string, body: object, branch: number | null][] = [
      ["if the zone is sent too", { zoneId: 102, sucursalId: 101, shouldUpdateSucursal: true }, 102],
      ["if the zone is stored, even if another branch is sent", { sucursalId: 102, shouldUpdateSucursal: true }, 101],
      ["if the zone is stored and no branch is sent", { sucursalId: undefined, shouldUpdateSucursal: true }, 101],
      ["but not for a pickup", { zoneId: 102, shipmentMethod: "pickup", shouldUpdateSucursal: true }, 101],
      [
        "but not without a shipment method",
        { zoneId: 102, shipmentMethod: undefined, shouldUpdateSucursal: true },
        101,
      ],
      ["but not if it is false", { zoneId: 102, shouldUpdateSucursal: false }, 101],
      ["but not if it is omitted", { zoneId: 102 }, 101],
      ["which is none for a zone without a branch", { zoneId: 150, shouldUpdateSucursal: true }, null],
      ["but not if the order then has no zone", { zoneId: null, sucursalId: 102, shouldUpdateSucursal: true }, 102],
    ];
    for (const [what, body, branch] of cases) {
      it(`${what} (§9.4)`, async () => {
        const orderId = await newOrder();
        const order = await updated({ orderId, ...kept, ...body });
        expect(order.sucursal_id).to.equal(branch);
        expect(order.sucursal?.id ?? null).to.equal(branch);
        expect((await edits.row(orderId)).branch_id).to.equal(branch);
      });
    }
  });

  describe("deletes the delivery price", () => {
    const changes: [what: string, body: object, voids: boolean][] = [
      ["with another shipment method", { shipmentMethod: "pickup" }, true],
      ["with another branch", { sucursalId: 102 }, true],
      ["with a branch that the zone gives", { zoneId: 102, shouldUpdateSucursal: true }, true],
      ["with another zone", { zoneId: 102 }, true],
      ["with another latitude", { lat: -16.6 }, true],
      ["with another longitude", { lng: null }, true],
      [
        "but not with another payment method, address or date",
        { paymentMethod: "qr", raw_adress: "x", scheduleAt: null },
        false,
      ],
      ["but not with the same place, branch and zone", { lat: -16.5, lng: -68.1, zoneId: 101 }, false],
    ];
    for (const [what, body, voids] of changes) {
      it(`${what} (§9.7)`, async () => {
        const orderId = await newOrder();
        await updated({ orderId, ...kept, ...body });
        expect((await edits.row(orderId)).speedy_price).to.equal(voids ? null : "7.50");
      });
    }
  });

  describe("refuses", () => {
    const wrong: [field: string, values: unknown[], complaint: string][] = [
      ["orderId", [undefined], "es requerido"],
      ["orderId", ["5", null, {}, true], "debe ser un número"],
      ["orderId", [0, -1, 2 ** 53], "no es válido"],
      ["shipmentMethod", [1, true, {}], "debe ser un texto"],
      ["shipmentMethod", ["drone", "Delivery", ""], "no es un valor permitido"],
      ["paymentMethod", [1, [], false], "debe ser un texto"],
      ["paymentMethod", ["x".repeat(101)], "no puede tener más de 100 caracteres"],
      ["sucursalId", ["101", true, {}], "debe ser un número"],
      ["sucursalId", [0], "no es válido"],
      ["location_picked", [1, {}], "debe ser un texto"],
      ["raw_adress", [1, ["x"]], "debe ser un texto"],
      ["paid", ["true", 1, 0], "debe ser un booleano"],
      ["shouldUpdateSucursal", ["true", 1, null], "debe ser un booleano"],
      ["scheduleAt", [1, {}], "debe ser un texto"],
      ["scheduleAt", ["mañana", "2026-02-30", "2026-13-01T00:00:00Z", ""], "debe ser una fecha ISO 8601"],
      ["schedule_at", ["2026-02-30T10:00:00"], "debe ser una fecha ISO 8601"],
      ["lat", ["1", true], "debe ser un número"],
      ["lat", [90.1, -91], "no es válido"],
      ["lng", ["1", []], "debe ser un número"],
      ["lng", [180.5], "no es válido"],
      ["zoneId", ["101", 1.5], "debe ser un número"],
      ["zone_id", [{}], "debe ser un número"],
    ];
    for (const [field, values, complaint] of wrong) {
      it(`a ${field} that '${complaint}' (§9.1)`, async () => {
        const orderId = await newOrder();
        const before = await edits.everything();
        for (const value of values) {
          expectError(await edits.update({ orderId, ...kept, [field]: value }), 400, `${field} ${complaint}`);
        }
        expect(await edits.everything()).to.deep.equal(before);
      });
    }

    it("a missing order or another business's (§9.2)", async () => {
      const theirs = await addOrder(world, 2);
      const before = await edits.everything();
      for (const orderId of [999_999, theirs]) {
        expectError(await edits.update({ orderId, ...kept }), 400, "Order not found");
      }
      expect(await edits.everything()).to.deep.equal(before);
    });

    it("a missing branch or zone or another business's, and changes nothing (§9.4)", async () => {
      const orderId = await newOrder();
      const before = await edits.everything();
      for (const id of [999_999, 201]) {
        expectError(await edits.update({ orderId, ...kept, sucursalId: id }), 400, "Sucursal no encontrada");
        expectError(await edits.update({ orderId, ...kept, zoneId: id }), 400, "Zona no encontrada");
        const overridden = { orderId, ...kept, sucursalId: id, shouldUpdateSucursal: true };
        expectError(await edits.update(overridden), 400, "Sucursal no encontrada");
      }
      expect(await edits.everything()).to.deep.equal(before);
    });

    it("a request without a valid key, before any other check", async () => {
      expectError(await edits.update({}, { "x-api-key": "rk_nobody" }), 401, "Invalid API key");
    });

    it("in its own words if the database fails", async () => {
      const orderId = await newOrder();
      await world.rows("alter table order_changes rename to order_changes_away");
      try {
        expectError(await edits.update({ orderId, ...kept }), 500, "Internal server error");
      } finally {
        await world.rows("alter table order_changes_away rename to order_changes");
      }
      expect((await edits.row(orderId)).version).to.equal(1);
    });
  });

  describe("with If-Match", () => {
    it("is made at the named version, and answers with the next one (§9.8)", async () => {
      const orderId = await newOrder();
      for (const [header, next] of [
        ['"v1"', '"v2"'],
        ['"v7", "v2"', '"v3"'],
        ["*", '"v4"'],
        ['W/"v1","x" , "v4"', '"v5"'],
      ] as const) {
        const answer = await edits.update({ orderId, ...kept }, { "if-match": header });
        expect([answer.status, answer.headers.etag], header).to.deep.equal([200, next]);
      }
    });

    it("changes nothing if the order has another version (§9.8)", async () => {
      const orderId = await newOrder();
      await updated({ orderId, ...kept });
      const before = await edits.everything();
      for (const header of ['"v1"', '"v3"', 'W/"v2"', '"2"', '"v2x"', '"v02"', '"v99999999999"', '""']) {
        const answer = await edits.update({ orderId, ...kept, paymentMethod: "qr" }, { "if-match": header });
        expectError(answer, 412, "La orden cambió");
        expect(answer.headers.etag).to.equal(undefined);
      }
      expect(await edits.everything()).to.deep.equal(before);
    });

    it("refuses an invalid header, and a missing order (§9.8)", async () => {
      const orderId = await newOrder();
      for (const header of ["v1", "1", '"v1', '"v1" "v2"', '"v1",', '*, "v1"', 'w/"v1"']) {
        expectError(await edits.update({ orderId, ...kept }, { "if-match": header }), 400, "If-Match no es válido");
      }
      for (const header of ["*", '"v1"']) {
        expectError(await edits.update({ orderId: 999_999 }, { "if-match": header }), 400, "Order not found");
      }
      expect((await edits.row(orderId)).version).to.equal(1);
    });

    it("accepts exactly one of twenty simultaneous updates of the same version (§9.8)", async () => {
      const orderId = await newOrder();
      const bodies = Array.from({ length: 20 }, (_, n) => ({ orderId, ...kept, raw_adress: `Calle ${n}` }));
      const answers = await Promise.all(bodies.map((body) => edits.update(body, { "if-match": '"v1"' })));
      const won = answers.findIndex(({ status }) => status === 200);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(19).fill(412)]);
      expect(await edits.row(orderId)).to.deep.include({ version: 2, raw_address: `Calle ${won}` });
    });
  });

  describe("notifies clients", () => {
    it("with all fields of a card, only in the business (§9.5)", async () => {
      const orderId = await newOrder();
      const lineId = await addLine(world, 1, orderId, { quantity: 3, extras: [101, 102] });
      const customExtras = { [orderId]: { [`102:${lineId}`]: { price: 0.2, picked: "Poco" } } };
      await world.rows("update orders set extra_data = $2 where business_id = 1 and id = $1", [
        orderId,
        { version: 1, customExtras },
      ]);
      await world.rows(
        "insert into order_discounts (business_id, order_id, kind, amount) values (1, $1, 'coupon', 0.70)",
        [orderId],
      );
      await updated({ orderId, ...kept, zoneId: 102, paid: true });
      const { payload } = await admin.hears(({ name, payload }) => name === "order:changed" && payload.id === orderId);
      const { at, seq, createdAt, updatedAt, details, ...rest } = payload;
      for (const moment of [at, createdAt, updatedAt]) expect(new Date(moment).toISOString()).to.equal(moment);
      expect(seq).to.be.a("number");
      const [line] = details;
      expect(details).to.deep.equal([
        {
          id: lineId,
          quantity: 3,
          type: "item",
          retailer_id: "SAL-1",
          articulo: { id: 101, name: "Salteña", price: "8.10" },
          extras: [
            { id: line.extras[0].id, extra_id: 101, extra: { id: 101, name: "Llajua", charge: "0.10" } },
            { id: line.extras[1].id, extra_id: 102, extra: { id: 102, name: "Queso", charge: "3.20" } },
          ],
        },
      ]);
      expect(rest).to.deep.equal({
        empresa_id: 1,
        id: orderId,
        version: 2,
        status: 8,
        type: "wa",
        shipment_method: "delivery",
        payment_method: "cash",
        paid: true,
        cancel_reason: null,
        location_picked: "Casa",
        raw_adress: "Calle 1",
        schedule_at: "2026-03-04T12:00:00.000Z",
        lat: -16.5,
        lng: -68.1,
        sucursal_id: 101,
        zone_id: 102,
        chat_id: 101,
        // 3 x (8.10 + 0.10 + 0.20) + 15.00 - 0.70
        total: 39.5,
        discount: 0.7,
        speedy_delivery_price: null,
        driver: null,
        chat: {
          id: 101,
          soporte_id: null,
          ultimo_mensaje: rest.chat.ultimo_mensaje,
          contacto: { id: 101, nombre: "Carla Cliente", numero: "59170000101", platform_id: "59170000101" },
        },
        sucursal: { id: 101, nombre: "Centro" },
        zona: { id: 102, precio: "15.00", sucursal: { id: 102, nombre: "Sur" } },
      });
      expect(stranger.heard).to.deep.equal([]);
    });

    it("after the commit, and not after a failure (§9.5)", async () => {
      const orderId = await newOrder();
      expect((await edits.update({ orderId, ...kept, zoneId: 999_999 })).status).to.equal(400);
      expect((await edits.update({ orderId, ...kept }, { "if-match": '"v9"' })).status).to.equal(412);
      await updated({ orderId, ...kept });
      const isMine = ({ name, payload }: { name: string; payload: Answer["json"] }) =>
        name === "order:changed" && payload.id === orderId;
      const { payload } = await admin.hears(isMine);
      expect(payload.version).to.equal(2);
      expect(admin.heard.filter(isMine)).to.have.length(1);
      expect(await edits.logged(orderId)).to.equal(1);
    });

    it("also for an order without a branch, a zone, a chat and lines (§9.5)", async () => {
      const orderId = await newOrder({ chat_id: null, zone_id: null });
      await updated({ orderId });
      const { payload } = await admin.hears(({ name, payload }) => name === "order:changed" && payload.id === orderId);
      expect(payload).to.deep.include({ sucursal: null, zona: null, chat: null, details: [], total: 0 });
    });
  });
});
