import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../../src/infra/postgres/unit-of-work.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import { PostgresDeliveryPrices, PostgresKeptPrices } from "../../src/orders/adapters/postgres/delivery-prices.ts";
import { PostgresOrderEvents } from "../../src/orders/adapters/postgres/order-events.ts";
import { PostgresOrderReads } from "../../src/orders/adapters/postgres/order-reads.ts";
import { AskDeliveryPrices } from "../../src/orders/application/delivery/delivery-prices.ts";
import type { DeliveryPricing, QuoteRequest } from "../../src/orders/application/delivery/integrations.ts";
import { eventually } from "../support/wait.ts";
import { Edits } from "./edits.ts";
import { addLine, addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

type Price = Awaited<ReturnType<DeliveryPricing["priceOf"]>>;

const place = { latitude: -16.4, longitude: -68.2 };

describe("the price of a delivery", () => {
  let shops: Shops;
  let edits: Edits;
  before(async () => {
    shops = await startShops();
    edits = new Edits(shops);
  });
  after(() => shops.stop());
  beforeEach(async () => {
    await shops.control("PUT", "/delivery-price", { price: null });
    await shops.rows("truncate orders cascade");
  });

  const set = (id: number, changes: string) =>
    shops.rows(`update orders set ${changes} where business_id = 1 and id = $1`, [id]);
  const marks = () =>
    shops.rows<{ order_id: number; attempts: number; pause: number; leased: boolean }>(
      `select order_id, attempts, round(extract(epoch from due_at - now()))::int as pause,
              coalesce(leased_until > now(), false) as leased
       from wanted_delivery_prices order by order_id`,
    );
  const wanting = async () => (await marks()).map(({ order_id }) => order_id);
  const ripen = () => shops.rows("update wanted_delivery_prices set due_at = now(), leased_until = now()");
  const priceIn = async (id: number) => {
    const { speedy_price, version } = await edits.row(id);
    return { speedy_price, version };
  };

  describe("from the service to the integration", () => {
    const shown = async (id: number) => {
      const alone = await shops.get(`/catalogs/order/${id}`);
      const [listed] = (await shops.list(`/search?q=${id}`)).json.data;
      const { total, speedy_delivery_price: price } = alone.json.data;
      return { total, listed: listed.total, price, etag: alone.headers.etag };
    };
    const delivery = { shipmentMethod: "delivery", paymentMethod: "qr", sucursalId: 101, zoneId: 101 };
    const toPlace = { ...delivery, lat: place.latitude, lng: place.longitude };

    it("is requested when a delivery changes, shown by lists and single reads, and announced (§12.5)", async () => {
      await shops.rows("update branches set latitude = -16.1, longitude = -68.3 where business_id = 1 and id = 101");
      const id = await addOrder(shops, 1);
      await addLine(shops, 1, id);
      const listener = await shops.listen(101);
      await shops.control("PUT", "/delivery-price", { price: "12.34" });
      expect(await shown(id)).to.deep.equal({ total: 18.6, listed: 18.6, price: null, etag: '"v1"' });

      expect((await edits.update({ orderId: id, ...toPlace })).status).to.equal(200);
      const { payload } = await listener.hears(({ payload }) => payload.id === id && payload.version === 3);
      expect(payload).to.include({ total: 20.44, speedy_delivery_price: 12.34 });
      expect(await shown(id)).to.deep.equal({ total: 20.44, listed: 20.44, price: 12.34, etag: '"v3"' });
      expect((await shops.control("GET", "/delivery-quotes")).at(-1)).to.deep.equal({
        business_id: 1,
        order_id: id,
        branch: { id: 101, lat: -16.1, lng: -68.3 },
        destination: { lat: place.latitude, lng: place.longitude },
      });
      expect(await wanting()).to.deep.equal([]);
    });

    it("is never requested by a read, which changes and announces nothing (§12.5)", async () => {
      await shops.control("PUT", "/delivery-price", { price: "9.00" });
      const id = await addOrder(shops, 1, place);
      const before = await edits.everything();
      const asked = (await shops.control("GET", "/delivery-quotes")).length;
      const first = await shown(id);
      await shops.list(`/order/${id}`);
      expect(await shown(id)).to.deep.equal(first);
      expect(await edits.everything()).to.deep.equal(before);
      expect((await shops.control("GET", "/delivery-quotes")).length).to.equal(asked);
      expect(await wanting()).to.deep.equal([id]);
    });

    it("is requested by a tick for an order that was stored in another way (§12.5)", async () => {
      await shops.control("PUT", "/delivery-price", { price: "9.00" });
      const id = await addOrder(shops, 1, place);
      resolve(shops.container, tokens.priceLoop).nudge();
      await eventually(async () => (await priceIn(id)).version === 2);
      expect(await shown(id)).to.deep.equal({ total: 9, listed: 9, price: 9, etag: '"v2"' });
    });

    it("is requested when a delivery coupon is removed, and does not count with one (§12.5)", async () => {
      const id = await addOrder(shops, 1, place);
      const coupon = await addLine(shops, 1, id, { articleId: 103, type: "delivery_coupon" });
      resolve(shops.container, tokens.priceLoop).nudge();
      await eventually(async () => (await wanting()).length === 0);
      await shops.control("PUT", "/delivery-price", { price: "9.00" });
      expect((await edits.remove({ orderId: id, detailId: coupon })).status).to.equal(200);
      await eventually(async () => (await priceIn(id)).version === 3);
      expect(await shown(id)).to.deep.equal({ total: 9, listed: 9, price: 9, etag: '"v3"' });
      await edits.add({ orderId: id, articleId: 103 });
      expect(await shown(id)).to.deep.equal({ total: 0, listed: 0, price: null, etag: '"v4"' });
    });
  });

  describe("is needed", () => {
    it("by an open order with a location and a delivery to pay, in whatever way it was created", async () => {
      const open = [];
      for (const status of [8, 1, 2, 3]) open.push(await addOrder(shops, 1, { ...place, status }));
      for (const none of [
        { shipment_method: "pickup" },
        { shipment_method: null },
        { zone_id: null },
        { status: 4 },
        { status: 5 },
        { latitude: null },
      ]) {
        await addOrder(shops, 1, { ...place, ...none } as object);
      }
      expect(await wanting()).to.deep.equal(open);
    });

    it("when the delivery changes or the order is reopened, and after no other change", async () => {
      const id = await addOrder(shops, 1, place);
      for (const [change, wants] of [
        ["payment_method = 'qr', paid = true, version = version + 1", false],
        ["location_label = 'Casa', raw_address = 'Calle 1'", false],
        ["status = 1", false],
        ["zone_id = 102", true],
        ["branch_id = 102", true],
        ["latitude = -16.3", true],
        ["longitude = -68.1", true],
        ["shipment_method = 'pickup'", false],
        ["shipment_method = 'delivery'", true],
        ["status = 5", false],
        ["zone_id = 101", false],
        ["status = 8", true],
        ["speedy_price = 5, zone_id = 102", false],
      ] as const) {
        await shops.rows("truncate wanted_delivery_prices");
        await set(id, change);
        expect(await wanting(), change).to.deep.equal(wants ? [id] : []);
      }
    });

    it("but not if the change is rolled back", async () => {
      const id = await addOrder(shops, 1);
      const undone = shops.database.transaction(async (transaction) => {
        const text = `update orders set latitude = 1, longitude = 1 where business_id = 1 and id = ${id}`;
        await transaction.rows({ name: "", text }, []);
        throw new Error("no");
      });
      await undone.catch(() => {});
      expect(await wanting()).to.deep.equal([]);
    });
  });

  describe("is requested in the background", () => {
    const asked: QuoteRequest[] = [];
    const published: LoggedEvent[] = [];
    const failures: unknown[] = [];
    beforeEach(() => {
      for (const list of [asked, published, failures]) list.length = 0;
    });
    const asker = (priceOf: (request: QuoteRequest) => Promise<Price>) =>
      new AskDeliveryPrices(
        {
          priceOf: (request) => {
            asked.push(request);
            return priceOf(request);
          },
        },
        new PostgresOrderReads(oneCell(shops.database)),
        new PostgresDeliveryPrices(oneCell(shops.database)),
        new PostgresUnitOfWork(oneCell(shops.database), (transaction) => ({
          prices: new PostgresKeptPrices(transaction),
          events: new PostgresOrderEvents(transaction),
        })),
        { publish: (events) => published.push(...events) },
        (error) => failures.push(error),
      );

    it("once, and stored in a new version of the order", async () => {
      const ids = [];
      for (let n = 0; n < 20; n += 1) ids.push(await addOrder(shops, 1, place));
      await asker(async () => 1_234n).execute();
      expect(asked.map(({ orderId }) => orderId)).to.have.members(ids);
      for (const id of ids) expect(await priceIn(id)).to.deep.equal({ speedy_price: "12.34", version: 2 });
      expect(published.map(({ payload }) => (payload as { id: number }).id)).to.have.members(ids);
      expect(published[0]?.payload).to.include({ version: 2, total: 12.34, speedyPrice: 12.34 });
      await asker(async () => 1n).execute();
      expect([asked.length, await wanting()]).to.deep.equal([20, []]);
    });

    it("by one of several processes", async () => {
      const ids = [];
      for (let n = 0; n < 20; n += 1) ids.push(await addOrder(shops, 1, place));
      await Promise.all(Array.from({ length: 4 }, () => asker(async () => 700n).execute()));
      expect(asked.map(({ orderId }) => orderId)).to.have.members(ids);
      expect(asked).to.have.length(20);
    });

    it("again if the order changes meanwhile, and by one process only", async () => {
      const id = await addOrder(shops, 1, place);
      const changes = ["zone_id = 102", "payment_method = 'qr'"];
      let underWay = 0;
      let most = 0;
      await asker(async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        const change = changes.shift();
        if (change) await set(id, `version = version + 1, ${change}`);
        if (change) await asker(async () => 1n).execute();
        underWay -= 1;
        return change ? 100n : 900n;
      }).execute();
      expect([asked.length, most, await priceIn(id)]).to.deep.equal([3, 1, { speedy_price: "9.00", version: 4 }]);
      expect(await wanting()).to.deep.equal([]);
    });

    it("again after growing pauses without an answer, until it is given up", async () => {
      const id = await addOrder(shops, 1, place);
      const pauses = [];
      for (let attempt = 1; attempt <= 6; attempt += 1) {
        await ripen();
        await asker(async () => "unanswered").execute();
        pauses.push((await marks())[0]?.pause ?? null);
      }
      expect(pauses).to.deep.equal([30, 120, 480, 1_920, 7_680, null]);
      expect([asked.length, await priceIn(id)]).to.deep.equal([6, { speedy_price: null, version: 1 }]);
      await set(id, "zone_id = 102");
      await asker(async () => 300n).execute();
      expect(await priceIn(id)).to.deep.equal({ speedy_price: "3.00", version: 2 });
    });

    it("from the start if the delivery changes, after the request for the old one", async () => {
      const id = await addOrder(shops, 1, place);
      await asker(async () => {
        await set(id, "zone_id = 102");
        return "unanswered";
      }).execute();
      const [mark] = await marks();
      expect(mark).to.include({ attempts: 0, leased: true });
      expect(mark?.pause).to.be.within(1, 20);
      await asker(async () => 1n).execute();
      expect(asked).to.have.length(1);
    });

    it("but not again if there is none, until the delivery changes", async () => {
      const id = await addOrder(shops, 1, place);
      await asker(async () => "none").execute();
      expect(await wanting()).to.deep.equal([]);
      await set(id, "latitude = -16.2");
      await asker(async () => 0n).execute();
      expect(await priceIn(id)).to.deep.equal({ speedy_price: "0.00", version: 2 });
    });

    it("again if the delivery changes before the integration answers that there is no price", async () => {
      const id = await addOrder(shops, 1, place);
      await asker(async () => {
        await set(id, "zone_id = 102");
        return "none";
      }).execute();
      expect(await wanting()).to.deep.equal([id]);
    });

    it("again if the requesting process has died", async () => {
      const id = await addOrder(shops, 1, place);
      const store = new PostgresDeliveryPrices(oneCell(shops.database));
      expect(await store.claim(10, 20_000)).to.deep.equal([{ businessId: 1, id, attempts: 1 }]);
      await asker(async () => 1n).execute();
      expect(asked).to.deep.equal([]);
      expect((await marks())[0]?.pause).to.be.within(20, 30);
      await ripen();
      await asker(async () => 800n).execute();
      expect(await priceIn(id)).to.deep.equal({ speedy_price: "8.00", version: 2 });
    });

    it("without waiting for a concurrent change of the order", async () => {
      const id = await addOrder(shops, 1, place);
      const other = Database.open({ ...shops.config.database, poolSize: 1 }, () => {});
      try {
        await other.transaction(async (transaction) => {
          const hold = { name: "hold", text: "select from orders where business_id = 1 and id = $1 for update" };
          await transaction.rows(hold, [id]);
          await asker(async () => 700n).execute();
        });
      } finally {
        await other.close();
      }
      expect([await priceIn(id), published]).to.deep.equal([{ speedy_price: null, version: 1 }, []]);
      expect(await wanting()).to.deep.equal([id]);
    });

    it("but not if there is nothing to pay or to price", async () => {
      const free = await addOrder(shops, 1, place);
      await addLine(shops, 1, free, { articleId: 103, type: "delivery_coupon" });
      await set(await addOrder(shops, 1, place), "status = 5");
      await set(await addOrder(shops, 1, place), "shipment_method = 'pickup'");
      await set(await addOrder(shops, 1, place), "speedy_price = 7");
      expect(await wanting()).to.have.length(4);
      await asker(async () => 900n).execute();
      expect([asked, await wanting()]).to.deep.equal([[], []]);
    });

    it("even if another order fails and stays due", async () => {
      const [bad, good] = [await addOrder(shops, 1, place), await addOrder(shops, 1, place)];
      const down = new Error("down");
      await asker(async ({ orderId }) => (orderId === bad ? Promise.reject(down) : 500n)).execute();
      expect([failures, (await priceIn(good)).speedy_price]).to.deep.equal([[down], "5.00"]);
      expect(await wanting()).to.deep.equal([bad]);
    });

    it("but not for orders that waited too long without a pricing service", async () => {
      const [old, fresh] = [await addOrder(shops, 1, place), await addOrder(shops, 1, place)];
      await shops.rows("update wanted_delivery_prices set due_at = now() - interval '61 minutes' where order_id = $1", [
        old,
      ]);
      await new PostgresDeliveryPrices(oneCell(shops.database)).forget(1);
      expect(await wanting()).to.deep.equal([fresh]);
    });
  });
});
