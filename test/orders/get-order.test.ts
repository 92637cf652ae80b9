import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { orderSchema } from "../../src/orders/adapters/http/order-schemas.ts";
import { PostgresOrderReads } from "../../src/orders/adapters/postgres/order-reads.ts";
import type { DriverLocation, DriverTracking } from "../../src/orders/application/delivery/integrations.ts";
import { GetOrder } from "../../src/orders/application/reads/get-order.ts";
import { request } from "../support/http.ts";
import { addLine, addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const isOrder = ajv.compile(orderSchema);

describe("reading an order", () => {
  let shops: Shops;
  before(async () => {
    shops = await startShops();
  });
  after(() => shops.stop());

  const read = async (id: number) => {
    const answer = await shops.get(`/catalogs/order/${id}`);
    expect(answer.status, answer.text).to.equal(200);
    expect(isOrder(answer.json.data), ajv.errorsText(isOrder.errors)).to.equal(true);
    return answer.json.data;
  };
  const set = (id: number, changes: string, values: readonly unknown[] = []) =>
    shops.rows(`update orders set ${changes} where business_id = 1 and id = $1`, [id, ...values]);

  it("shows every field of the order, its relations, and calculated values (§12.1, §12.2, §12.3)", async () => {
    const id = await addOrder(shops, 1, { driver_id: 101, user_id: 102, paid: true, chat_id: 102 });
    const line = await addLine(shops, 1, id, { quantity: 2, extras: [101, 102] });
    const plain = await addLine(shops, 1, id, { articleId: 102 });
    const [extra, other] = await shops.rows<{ id: number }>("select id from line_extras where line_id = $1", [line]);
    const extraData = { version: 1, customExtras: { [id]: { [`102:${line}`]: { price: 1.25, picked: "poco" } } } };
    const transaction = "0f8fad5b-d9cb-469f-a165-70867728950e";
    await set(
      id,
      `location_label = 'Casa', raw_address = 'Calle 1', scheduled_at = '2026-03-04T05:06:07Z', latitude = -16.5,
       longitude = -68.1, transaction_id = $2, payment_expires_at = '2026-03-04T07:06:07Z', extra_data = $3,
       created_at = '2026-03-04T01:02:03.004Z', updated_at = '2026-03-04T02:02:03Z'`,
      [transaction, JSON.stringify(extraData)],
    );
    await shops.rows(
      `insert into order_discounts (business_id, order_id, kind, amount) values (1, $1, 'coupon', 1.10),
       (1, $1, 'reward', 0.20), (1, $1, 'reward_points', 0.30), (1, $1, 'claimed_points', 0.05)`,
      [id],
    );
    expect(await read(id)).to.deep.equal({
      id,
      status: 8,
      type: "wa",
      shipment_method: "delivery",
      payment_method: "cash",
      sucursal_id: 101,
      location_picked: "Casa",
      raw_adress: "Calle 1",
      paid: true,
      schedule_at: "2026-03-04T05:06:07.000Z",
      lat: -16.5,
      lng: -68.1,
      zone_id: 101,
      empresa_id: 1,
      chat_id: 102,
      cancel_reason: null,
      transactionId: transaction,
      paidExpire: "2026-03-04T07:06:07.000Z",
      extra_data: extraData,
      createdAt: "2026-03-04T01:02:03.004Z",
      updatedAt: "2026-03-04T02:02:03.000Z",
      sucursal: { id: 101, nombre: "Centro" },
      zona: { id: 101, precio: "10.50", sucursal: { id: 101, nombre: "Centro" } },
      chat: {
        id: 102,
        contacto: { id: 102, nombre: "Bruno 50%_off", numero: "59170000102", platform_id: "59170000102" },
        soporte_id: 102,
        ultimo_mensaje: "2026-01-02T03:04:05.000Z",
      },
      empresa: { id: 1, nombre: "Negocio 1" },
      user: { id: 102, nombre: "Ana Agente" },
      driver: { id: 101, nombre: "Raúl Rider", telefono: null },
      details: [
        {
          id: line,
          quantity: 2,
          type: "item",
          retailer_id: "SAL-1",
          articulo: { id: 101, name: "Salteña", price: "8.10" },
          extras: [
            { id: extra?.id, extra_id: 101, extra: { id: 101, name: "Llajua", charge: "0.10" } },
            { id: other?.id, extra_id: 102, extra: { id: 102, name: "Queso", charge: "3.20" } },
          ],
        },
        {
          id: plain,
          quantity: 1,
          type: "item",
          retailer_id: null,
          articulo: { id: 102, name: "Api con pastel", price: "12.20" },
          extras: [],
        },
      ],
      // 2 x (8.10 + 0.10 + 1.25) + 12.20 + 10.50 - 1.65
      total: 39.95,
      discount: 1.65,
      speedy_delivery_price: null,
      tax_id_label: "NIT",
      tracker: { lat: -16.5, lng: -68.15, at: "2026-01-02T03:04:05.000Z" },
    });
  });

  it("shows an order without optional values (§12.1)", async () => {
    const nothing = { chat_id: null, branch_id: null, zone_id: null, shipment_method: null, payment_method: null };
    const order = await read(await addOrder(shops, 1, nothing));
    const { chat, sucursal, zona, user, driver, details, total, discount } = order;
    expect([chat, sucursal, zona, user, driver]).to.deep.equal([null, null, null, null, null]);
    expect([details, total, discount]).to.deep.equal([[], 0, 0]);
    expect(order).not.to.have.any.keys("tracker", "in_app_chat", "external_user_id");
  });

  it("uses the extras' own prices if extra_data has no valid custom prices (§12.3)", async () => {
    const id = await addOrder(shops, 1);
    const line = await addLine(shops, 1, id, { extras: [101] });
    const key = `101:${line}`;
    for (const [extraData, total] of [
      [{}, 18.7],
      [{ version: 1, customExtras: null }, 18.7],
      [{ version: 1, customExtras: { [id]: null } }, 18.7],
      [{ version: 1, customExtras: { [id]: { [key]: { picked: "Mucho" } } } }, 18.7],
      [{ version: 1, customExtras: { [id]: { [key]: { price: "2.50", picked: "Mucho" } } } }, 18.7],
      [{ version: 1, customExtras: "none" }, 18.7],
      [{ version: 1, customExtras: { [id]: [1] } }, 18.7],
      [{ version: 1, customExtras: { [id]: { [key]: 5 } } }, 18.7],
      ...[1e22, 1e15, -1, -0.001].map(
        (price) => [{ version: 1, customExtras: { [id]: { [key]: { price, picked: "Mucho" } } } }, 18.7] as const,
      ),
      [{ version: 1, customExtras: { [id]: { [key]: { price: 2.5, picked: "Mucho" } } } }, 21.1],
    ] as const) {
      await set(id, "extra_data = $2", [JSON.stringify(extraData)]);
      const order = await read(id);
      expect([order.extra_data, order.total]).to.deep.equal([extraData, total]);
    }
  });

  it("has no shipping with a delivery coupon (§12.3), and subtracts all discounts, down to 0 (§12.4)", async () => {
    const id = await addOrder(shops, 1);
    await addLine(shops, 1, id);
    expect((await read(id)).total).to.equal(18.6);
    await addLine(shops, 1, id, { articleId: 103, type: "delivery_coupon" });
    expect((await read(id)).total).to.equal(8.1);
    await shops.rows("insert into order_discounts (business_id, order_id, kind, amount) values (1, $1, 'coupon', 9)", [
      id,
    ]);
    const { total, discount } = await read(id);
    expect([total, discount]).to.deep.equal([0, 9]);
  });

  it("shows the stored delivery price instead of the zone's, only for a delivery (§12.5)", async () => {
    const id = await addOrder(shops, 1);
    await set(id, "speedy_price = 7.35");
    const delivered = await read(id);
    expect([delivered.speedy_delivery_price, delivered.total]).to.deep.equal([7.35, 7.35]);
    await set(id, "shipment_method = 'pickup'");
    const pickedUp = await read(id);
    expect([pickedUp.speedy_delivery_price, pickedUp.total]).to.deep.equal([null, 0]);
  });

  it("shows the business's tax label (§12.6)", async () => {
    const id = await addOrder(shops, 1);
    const label = (value: string) =>
      shops.rows(
        "update businesses set feature_flags = feature_flags || jsonb_build_object('tax_id_label', $1::text)",
        [value],
      );
    await label("RUC");
    expect((await read(id)).tax_id_label).to.equal("RUC");
    await label("");
    expect((await read(id)).tax_id_label).to.equal("NIT");
  });

  it("shows the driver's last location, if there are a driver and a location (§12.7)", async () => {
    const id = await addOrder(shops, 1);
    expect(await read(id)).not.to.have.property("tracker");
    await set(id, "driver_id = 101");
    expect((await read(id)).tracker).to.deep.equal({ lat: -16.5, lng: -68.15, at: "2026-01-02T03:04:05.000Z" });
    await shops.rows("insert into drivers (business_id, id, name, phone) values (1, 150, 'Nuevo', '591')");
    await set(id, "driver_id = 150");
    const order = await read(id);
    expect(order.driver).to.deep.equal({ id: 150, nombre: "Nuevo", telefono: "591" });
    expect(order).not.to.have.property("tracker");
  });

  it("shows the customer's in-app chat if there is one (§12.8)", async () => {
    const id = await addOrder(shops, 1, { external_user_id: "app-7" });
    expect(await read(id))
      .to.include({ external_user_id: "app-7" })
      .and.not.have.property("in_app_chat");
    await shops.rows("insert into in_app_contacts (business_id, id, platform_id, name) values (2, 7, 'app-7', 'Otra')");
    await shops.rows("insert into in_app_chats (business_id, id, contact_id) values (2, 7, 7)");
    await shops.rows(
      "insert into in_app_contacts (business_id, id, platform_id, name) values (1, 8, 'app-7', 'Carla')",
    );
    expect(await read(id)).not.to.have.property("in_app_chat");
    await shops.rows("insert into in_app_chats (business_id, id, contact_id) values (1, 9, 8)");
    expect((await read(id)).in_app_chat).to.deep.equal({
      id: 9,
      contacto: { id: 8, nombre: "Carla", platform_id: "app-7" },
      ultimo_mensaje: null,
    });
  });

  it("answers 500 for a missing order or another business's (§12.9), and 400 for an invalid id", async () => {
    const theirs = await addOrder(shops, 2);
    for (const id of [theirs, 99_999_999]) {
      const answer = await shops.get(`/catalogs/order/${id}`);
      expect([answer.status, answer.json]).to.deep.equal([500, { message: "Internal server error" }]);
    }
    for (const id of ["abc", "0", "-1", "1.5", "9007199254740992"]) {
      const answer = await shops.get(`/catalogs/order/${id}`);
      expect(answer.status, id).to.equal(400);
      expect(answer.json).to.have.keys("message");
    }
    expect((await request(`${shops.api}/catalogs/order/1`)).status).to.equal(401);
  });

  it("shows the order's version in the ETag (§12.10)", async () => {
    const id = await addOrder(shops, 1);
    expect((await shops.get(`/catalogs/order/${id}`)).headers.etag).to.equal('"v1"');
    await set(id, "version = 2");
    expect((await shops.get(`/catalogs/order/${id}`)).headers.etag).to.equal('"v2"');
  });

  describe("with the driver tracking", () => {
    const asked: (string | null)[] = [];
    const troubles: unknown[] = [];
    const show = (tracking: DriverTracking["locate"]) =>
      new GetOrder(
        new PostgresOrderReads(oneCell(shops.database)),
        {
          locate: (trackingId) => {
            asked.push(trackingId);
            return tracking(trackingId);
          },
        },
        (error) => troubles.push(error),
      );
    const here: DriverLocation = { latitude: 1, longitude: 2, at: "2026-05-05T05:05:05.000Z" };

    it("prefers its location to the last stored one (§12.7)", async () => {
      await shops.rows("update drivers set tracking_id = 'moto-7' where business_id = 1 and id = 101");
      const id = await addOrder(shops, 1, { driver_id: 101 });
      expect((await show(async () => here).execute(1, id)).tracker).to.deep.equal(here);
      expect(asked).to.deep.equal(["moto-7"]);
      expect((await show(async () => null).execute(1, id)).tracker?.latitude).to.equal(-16.5);
    });

    it("shows the order even if the tracking fails (§12.7)", async () => {
      const id = await addOrder(shops, 1, { driver_id: 101 });
      const down = new Error("down");
      const shown = await show(() => Promise.reject(down)).execute(1, id);
      expect([shown.order.id, shown.tracker?.latitude, troubles]).to.deep.equal([id, -16.5, [down]]);
    });
  });
});
