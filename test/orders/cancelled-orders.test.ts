import { expect } from "chai";
import { request } from "../support/http.ts";
import { addLine, addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

const byBot = "(BOT) Cancelada por inactividad en el chat";

describe("the list of cancelled orders", () => {
  let shops: Shops;
  before(async () => {
    shops = await startShops();
  });
  after(() => shops.stop());
  beforeEach(() => shops.rows("truncate orders cascade"));

  const ask = (query: Readonly<Record<string, string | number>>, businessId: number | string = 1) =>
    shops.get(
      `/estadisticas/obtener/ordersCanceled/${businessId}?${new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      )}`,
    );
  const year = { startDate: "2026-01-01", endDate: "2026-12-31" };
  const list = async (query: Readonly<Record<string, string | number>> = {}) => {
    const answer = await ask({ ...year, ...query });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };
  const ids = async (query: Readonly<Record<string, string | number>>): Promise<number[]> =>
    (await list(query)).data.map(({ id }: { id: number }) => id);
  const cancelled = (changes: Parameters<typeof addOrder>[2] = {}) =>
    addOrder(shops, 1, { status: 5, created_at: "2026-05-05T12:00:00Z", ...changes });

  it("shows the full record with chat and contact, without lines and total (§14.5)", async () => {
    const id = await cancelled({ cancel_reason: byBot, updated_at: "2026-05-06T12:00:00Z" });
    await addLine(shops, 1, id);
    expect((await list()).data).to.deep.equal([
      {
        id,
        status: 5,
        type: "wa",
        shipment_method: "delivery",
        payment_method: "cash",
        sucursal_id: 101,
        location_picked: null,
        raw_adress: null,
        paid: null,
        schedule_at: null,
        lat: null,
        lng: null,
        zone_id: 101,
        empresa_id: 1,
        chat_id: 101,
        cancel_reason: byBot,
        transactionId: null,
        paidExpire: null,
        extra_data: { version: 1, customExtras: {} },
        createdAt: "2026-05-05T12:00:00.000Z",
        updatedAt: "2026-05-06T12:00:00.000Z",
        chat: {
          id: 101,
          contacto: { id: 101, nombre: "Carla Cliente", numero: "59170000101", platform_id: "59170000101" },
        },
      },
    ]);
    await shops.rows("update orders set chat_id = null");
    expect((await list()).data[0]).to.deep.include({ chat_id: null, chat: null });
  });

  it("shows only the business's cancelled orders, newest first (§14.1)", async () => {
    for (const status of [8, 1, 2, 3, 4]) await cancelled({ status });
    await addOrder(shops, 2, { status: 5, created_at: "2026-05-05T12:00:00Z" });
    const [a, b, c] = [await cancelled(), await cancelled({ created_at: "2026-04-01T00:00:00Z" }), await cancelled()];
    expect(await ids({})).to.deep.equal([c, a, b]);
  });

  it("includes both bounds, and a day as the end until its last moment (§14.1, §14.2)", async () => {
    const moments = ["2026-02-01T03:59:59.999Z", "2026-02-01T04:00:00Z", "2026-02-02T03:59:59.999900Z"];
    const [, first, last] = [
      await cancelled({ created_at: moments[0] ?? "" }),
      await cancelled({ created_at: moments[1] ?? "" }),
      await cancelled({ created_at: moments[2] ?? "" }),
    ];
    await cancelled({ created_at: "2026-02-02T04:00:00Z" });
    expect(await ids({ startDate: "2026-02-01", endDate: "2026-02-01" })).to.deep.equal([last, first]);
    expect((await list({ startDate: "2026-02-01", endDate: "2026-02-01" })).pagination.totalCount).to.equal(2);
    expect(await ids({ startDate: "2026-02-01T04:00:00Z", endDate: "2026-02-01T04:00:00Z" })).to.deep.equal([first]);
    expect(await ids({ startDate: "2026-02-01T00:00:00", endDate: "2026-02-01T00:00:00" })).to.deep.equal([first]);
  });

  it("filters by a part of the reason, without wildcards, and by channel (§14.3, §14.4)", async () => {
    const bot = await cancelled({ cancel_reason: byBot });
    const stock = await cancelled({ cancel_reason: "Sin stock (100%_)", type: "app" });
    const none = await cancelled({ cancel_reason: null, type: "app" });
    expect(await ids({ cancelReason: "inactividad" })).to.deep.equal([bot]);
    expect(await ids({ cancelReason: "SIN STOCK" })).to.deep.equal([stock]);
    expect(await ids({ cancelReason: "100%_" })).to.deep.equal([stock]);
    for (const wild of ["1%0", "%", "S_n", "\\"]) {
      expect(await ids({ cancelReason: wild }), wild).to.deep.equal(wild === "%" ? [stock] : []);
    }
    expect(await ids({ type: "app" })).to.deep.equal([none, stock]);
    expect(await ids({ type: "app", cancelReason: "stock" })).to.deep.equal([stock]);
    expect((await list({ type: "app", cancelReason: "stock" })).pagination.totalCount).to.equal(1);
    expect(await ids({ type: "w" })).to.deep.equal([]);
  });

  it("has pages of 10 or the requested size, 100 at most, and the total count (§14.6)", async () => {
    await shops.rows(
      "insert into orders (business_id, type, status, created_at) select 1, 'wa', 5, '2026-05-05' from generate_series(1, 25)",
    );
    const page = async (query: Readonly<Record<string, number>>) => {
      const { data, pagination } = await list(query);
      return [data.length, pagination];
    };
    const common = { totalCount: 25, totalPages: 3, limit: 10 };
    expect(await page({})).to.deep.equal([10, { ...common, currentPage: 1, hasNextPage: true, hasPrevPage: false }]);
    expect(await page({ page: 3 })).to.deep.equal([
      5,
      { ...common, currentPage: 3, hasNextPage: false, hasPrevPage: true },
    ]);
    expect(await page({ limit: 1_000 })).to.deep.equal([
      25,
      { currentPage: 1, totalPages: 1, totalCount: 25, limit: 100, hasNextPage: false, hasPrevPage: false },
    ]);
  });

  it("is empty with zero counts if no order matches (§14.7)", async () => {
    expect(await list()).to.deep.equal({
      success: true,
      data: [],
      pagination: { currentPage: 1, totalPages: 0, totalCount: 0, limit: 10, hasNextPage: false, hasPrevPage: false },
    });
  });

  it("refuses missing and wrong parameters, and another business (§14.1, §14.2)", async () => {
    const refused = async (query: Readonly<Record<string, string>>, message: string) => {
      const answer = await ask(query);
      expect([answer.status, answer.json]).to.deep.equal([400, { success: false, message }]);
    };
    await refused({ endDate: "2026-01-01" }, "startDate es requerido");
    await refused({ startDate: "2026-01-01" }, "endDate es requerido");
    for (const empty of ["startDate", "endDate"]) await refused({ ...year, [empty]: "" }, `${empty} es requerido`);
    for (const empty of ["type", "cancelReason"]) {
      await refused({ ...year, [empty]: "" }, `${empty} no puede estar vacío`);
    }
    await refused({ ...year, startDate: "2026-02-30" }, "startDate debe ser una fecha ISO 8601");
    await refused({ ...year, endDate: "tomorrow" }, "endDate debe ser una fecha ISO 8601");
    await refused({ ...year, startDate: "2027-01-01" }, "startDate no puede ser posterior a endDate");
    await refused({ ...year, page: "0" }, "page no es válido");
    await refused({ ...year, limit: "x" }, "limit debe ser un número");
    for (const businessId of [2, 999]) {
      const answer = await ask(year, businessId);
      expect([answer.status, answer.json]).to.deep.equal([401, { message: "Invalid API key" }]);
    }
    expect((await ask(year, "x")).status).to.equal(400);
    const withoutKey = await request(`${shops.api}/estadisticas/obtener/ordersCanceled/1?startDate=2026-01-01`);
    expect([withoutKey.status, withoutKey.json]).to.deep.equal([401, { message: "Invalid API key" }]);
  });

  it("answers an unexpected failure in its own words (§14)", async () => {
    await shops.rows("alter table order_day_counts rename to away");
    const answer = await ask(year);
    await shops.rows("alter table away rename to order_day_counts");
    expect(answer.status).to.equal(500);
    expect(answer.json).to.include({ success: false, message: "Hubo un error en el servidor" });
    expect(answer.json.error).to.be.a("string").and.not.include("away");
  });
});
