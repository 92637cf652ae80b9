import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { listedOrderSchema } from "../../src/orders/adapters/http/order-schemas.ts";
import { type Answer, request } from "../support/http.ts";
import { addLine, addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const isListed = ajv.compile(listedOrderSchema);
const path = "/catalogs/v2/orders/sucursal";

describe("the list of orders", () => {
  let shops: Shops;
  before(async () => {
    shops = await startShops();
  });
  after(() => shops.stop());
  beforeEach(() => shops.rows("truncate orders cascade"));

  const ids = async (rest: string): Promise<number[]> => {
    const answer = await shops.list(rest);
    expect(answer.status, answer.text).to.equal(200);
    for (const each of answer.json.data) expect(isListed(each), ajv.errorsText(isListed.errors)).to.equal(true);
    return answer.json.data.map(({ id }: { id: number }) => id);
  };
  const total = async (rest: string): Promise<number> => (await shops.list(rest)).json.total;
  const counts = async (rest = ""): Promise<object> => (await shops.list(`/counts${rest}`)).json.data;
  const expectRefused = (answer: Answer, status: number, body: object): void => {
    expect([answer.status, answer.type, answer.json]).to.deep.equal([status, "application/json", body]);
  };
  /** Adds orders of the first business, a minute apart. Returns their ids, oldest first. */
  const addOrders = async (...changes: Parameters<typeof addOrder>[2][]): Promise<number[]> => {
    const added: number[] = [];
    for (const each of changes) {
      const created_at = new Date(Date.UTC(2026, 0, 1, 12, added.length)).toISOString();
      added.push(await addOrder(shops, 1, { created_at, ...each }));
    }
    return added;
  };

  describe("accepts a caller", () => {
    it("with a session token in the query, in the body, or as bearer (§13.1)", async () => {
      const url = `${shops.api}${path}/1`;
      const { token } = shops;
      const answers = [
        await request(`${url}?token=${token}`),
        await request(url, { body: { token } }),
        await request(url, { body: { token }, chunked: true }),
        await request(url, { headers: { authorization: `Bearer ${token}` } }),
        await request(`${url}?token=${token}`, { body: { other: 1 } }),
        await request(`${url}/counts`, { body: { token } }),
        await request(`${url}/search?q=x`, { body: { token } }),
      ];
      for (const answer of answers) expect(answer.status, answer.text).to.equal(200);
    });

    it("with a token in a body without a content type, but not with a wrong content type", async () => {
      const ask = (type: string) =>
        request(`${shops.api}${path}/1`, {
          rawBody: JSON.stringify({ token: shops.token }),
          headers: { "content-type": type },
        });
      expect((await ask("")).status).to.equal(200);
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        expectRefused(await ask(type), 415, { message: "Content-Type must be application/json" });
      }
    });

    it("only with a token, whatever else the request contains (§13.1)", async () => {
      const url = `${shops.api}${path}/1`;
      const missing = { error: "Token is required" };
      expectRefused(await request(url), 400, missing);
      expectRefused(await request(`${url}?token=`), 400, missing);
      expectRefused(await request(url, { headers: { "x-api-key": shops.appKey(1) } }), 400, missing);
      for (const body of [{}, [], null, 7, "token", { token: 5 }, { token: "" }, { token: null }]) {
        expectRefused(await request(url, { body }), 400, missing);
      }
      expectRefused(await request(`${url}?status=nowhere`), 400, missing);
    });

    it("only with a valid token of the business (§13.1, §13.3)", async () => {
      const invalid = { error: "Invalid token" };
      const url = `${shops.api}${path}/1`;
      expectRefused(await request(`${url}?token=rs_wrong`), 401, invalid);
      expectRefused(await request(url, { body: { token: "rs_wrong" } }), 401, invalid);
      expectRefused(await request(`${url}?token=${shops.otherToken}`), 401, invalid);
      expectRefused(await request(`${shops.api}${path}/999?token=${shops.token}`), 401, invalid);
      const over = await shops.sessionToken(102);
      await shops.rows("update sessions set expires_at = now() where user_id = 102");
      expectRefused(await request(`${url}?token=${over}`), 401, invalid);
    });

    it("only with valid JSON, and a token within its first 16 kB without compression (§13.1)", async () => {
      const url = `${shops.api}${path}/1`;
      const missing = { error: "Token is required" };
      const { token } = shops;
      const late = JSON.stringify({ before: "x".repeat(17_000), token });
      for (const rawBody of ["{", "[".repeat(50_000), late])
        expectRefused(await request(url, { rawBody }), 400, missing);
      const headers = { "content-encoding": "gzip" };
      expectRefused(await request(url, { rawBody: gzipSync(JSON.stringify({ token })), headers }), 400, missing);
      expectRefused(await request(url, { rawBody: `{"token":"${token}",` }), 400, {
        message: "Request body is not valid JSON",
      });
      const early = JSON.stringify({ token, after: "x".repeat(17_000) });
      expect((await request(url, { rawBody: early })).status).to.equal(200);
    });

    it("only if the business has a plan (§13.2)", async () => {
      const id = await addOrder(shops, 1);
      const message = { success: false, error: "No se ha encontrado el plan de la empresa" };
      for (const plan of [null, ""]) {
        await shops.rows("update businesses set plan = $1 where id = 1", [plan]);
        for (const rest of ["", "/counts", "/search?q=x", `/order/${id}`, "/order/99999999"]) {
          expectRefused(await shops.list(rest), 400, message);
        }
      }
      await shops.rows("update businesses set plan = 'pro' where id = 1");
      expect((await shops.list(`/order/${id}`)).status).to.equal(200);
      expect((await shops.list()).status).to.equal(200);
    });
  });

  it("uses the extras' own prices for orders with invalid custom prices (§13.8)", async () => {
    const [id = 0] = await addOrders({ chat_id: 102 });
    const line = await addLine(shops, 1, id, { extras: [102] });
    for (const written of ['{"price": 1e22}', '{"price": 1e400}', '{"price": -1}', '{"price": "x"}', "5", "null"]) {
      const extraData = `{"customExtras": {"${id}": {"102:${line}": ${written}}}}`;
      await shops.rows("update orders set extra_data = $1", [extraData]);
      // The article costs 8.10, its extra 3.20 and the delivery 10.50.
      expect((await shops.list()).json.data, written).to.have.nested.property("[0].total", 21.8);
    }
  });

  it("has exactly the specified fields, with each order's total (§13.7, §13.8)", async () => {
    const [id = 0] = await addOrders({ chat_id: 102 });
    const line = await addLine(shops, 1, id, { quantity: 3, extras: [102] });
    const [extra] = await shops.rows<{ id: number }>("select id from line_extras where line_id = $1", [line]);
    const custom = { [id]: { [`102:${line}`]: { price: 1.1, picked: "1" } } };
    await shops.rows("update orders set extra_data = $1", [JSON.stringify({ version: 1, customExtras: custom })]);
    await shops.rows(
      "insert into order_discounts (business_id, order_id, kind, amount) values (1, $1, 'coupon', 0.3)",
      [id],
    );
    const answer = await shops.list();
    expect(answer.json).to.deep.equal({
      status: "success",
      data: [
        {
          id,
          status: 8,
          type: "wa",
          shipment_method: "delivery",
          payment_method: "cash",
          createdAt: "2026-01-01T12:00:00.000Z",
          // 3 x (8.10 + 1.10) + 10.50 - 0.30: articles with extras at the custom price, the delivery, the discount.
          total: 37.8,
          discount: 0.3,
          details: [
            {
              id: line,
              quantity: 3,
              type: "item",
              retailer_id: "SAL-1",
              articulo: { id: 101, name: "Salteña", price: "8.10" },
              extras: [{ id: extra?.id, extra_id: 102, extra: { id: 102, name: "Queso", charge: "3.20" } }],
            },
          ],
          chat: {
            id: 102,
            contacto: { id: 102, nombre: "Bruno 50%_off", numero: "59170000102", platform_id: "59170000102" },
            soporte_id: 102,
            ultimo_mensaje: "2026-01-02T03:04:05.000Z",
          },
          sucursal: { id: 101, nombre: "Centro" },
          zona: { id: 101, precio: "10.50", sucursal: { id: 101, nombre: "Centro" } },
        },
      ],
      total: 1,
      hasNextPage: false,
      page: 1,
    });
    const one = (await shops.list(`/order/${id}`)).json.data;
    const [listed] = answer.json.data;
    for (const field of ["total", "discount", "details", "chat", "zona"]) {
      expect(one[field]).to.deep.equal(listed[field]);
    }
  });

  it("shows only the business's orders (§13.3), newest first, and the later id first at the same time", async () => {
    await addOrder(shops, 2);
    const [a, b, c] = await addOrders({}, {}, {});
    const twin = await addOrder(shops, 1, { created_at: "2026-01-01T12:01:00Z" });
    expect(await ids("")).to.deep.equal([c, twin, b, a]);
  });

  it("shows the orders of each tab (§13.4)", async () => {
    const [pending, progress, onTheWay, alsoOnTheWay, completed, cancelled] = await addOrders(
      ...[8, 1, 2, 3, 4, 5].map((status) => ({ status })),
    );
    expect(await ids("")).to.have.length(6);
    const tabs = {
      pending: [pending],
      progress: [progress],
      "on-the-way": [alsoOnTheWay, onTheWay],
      completed: [completed],
      cancelled: [cancelled],
    };
    for (const [tab, expected] of Object.entries(tabs)) {
      expect(await ids(`?status=${tab}`), tab).to.deep.equal(expected);
      expect(await total(`?status=${tab}`), tab).to.equal(expected.length);
    }
    const unknown = await shops.list("?status=paid");
    expectRefused(unknown, 400, { success: false, error: "status no es un valor permitido" });
    expect((await shops.list("?status=")).status).to.equal(400);
  });

  it("has pages of 9 or the requested size, 100 at most, and the total count (§13.7)", async () => {
    const added = (await addOrders(...Array.from({ length: 21 }, () => ({})))).reverse();
    const page = async (rest: string) => {
      const { data, ...others } = (await shops.list(rest)).json;
      return { ids: data.map(({ id }: { id: number }) => id), ...others };
    };
    const common = { status: "success", total: 21 };
    expect(await page("")).to.deep.equal({ ids: added.slice(0, 9), ...common, hasNextPage: true, page: 1 });
    expect(await page("?page=3")).to.deep.equal({ ids: added.slice(18), ...common, hasNextPage: false, page: 3 });
    expect(await page("?page=4")).to.deep.equal({ ids: [], ...common, hasNextPage: false, page: 4 });
    expect(await page("?page=1000000")).to.deep.equal({ ids: [], ...common, hasNextPage: false, page: 1_000_000 });
    expect(await page("?limit=7&page=3")).to.deep.equal({
      ids: added.slice(14),
      ...common,
      hasNextPage: false,
      page: 3,
    });
    await shops.rows("insert into orders (business_id, type) select 1, 'wa' from generate_series(1, 100)");
    for (const limit of [101, 5_000, 9_007_199_254_740_991, `1${"0".repeat(20)}`]) {
      const capped = await page(`?limit=${limit}`);
      expect([capped.ids.length, capped.total, capped.hasNextPage]).to.deep.equal([100, 121, true]);
    }
    for (const wrong of ["page=0", "page=-1", "page=x", "page=1.5", "limit=0", "limit=x", "page=1&page=2"]) {
      const answer = await shops.list(`?${wrong}`);
      expect(answer.status, wrong).to.equal(400);
      expect(answer.json).to.have.keys("success", "error");
    }
  });

  it("can be filtered by branch and by the chat's agent, with total and counts (§13.5, §13.9, §13.10)", async () => {
    const [a, b, c, d] = await addOrders(
      { branch_id: 101 },
      { branch_id: 102, chat_id: 102, status: 1 },
      { branch_id: 101, chat_id: 103, status: 3 },
      { branch_id: null, chat_id: null, status: 2 },
    );
    expect(await ids("?sucursalId=101")).to.deep.equal([c, a]);
    expect(await ids("?userId=102")).to.deep.equal([c, b]);
    expect(await ids("?userId=102&sucursalId=101")).to.deep.equal([c]);
    expect(await ids("?userId=102&status=progress")).to.deep.equal([b]);
    expect(await ids("?status=on-the-way")).to.deep.equal([d, c]);
    expect(await total("?userId=102")).to.equal(2);
    expect(await total("?userId=102&sucursalId=101&status=on-the-way")).to.equal(1);
    const none = { pending: 0, progress: 0, "on-the-way": 0, completed: 0, cancelled: 0 };
    expect(await counts()).to.deep.equal({ ...none, pending: 1, progress: 1, "on-the-way": 2 });
    expect(await counts("?userId=102")).to.deep.equal({ ...none, progress: 1, "on-the-way": 1 });
    expect(await counts("?sucursalId=101")).to.deep.equal({ ...none, pending: 1, "on-the-way": 1 });

    // If a chat is assigned to another agent, its orders are listed under that agent.
    await shops.rows("update chats set support_user_id = 101 where business_id = 1 and id = 102");
    expect(await ids("?userId=102")).to.deep.equal([c]);
    expect(await ids("?userId=101")).to.deep.equal([b]);
    await shops.rows("update chats set support_user_id = 102 where business_id = 1 and id = 102");

    for (const filter of ["sucursalId=201", "sucursalId=999", "userId=201", "userId=999"]) {
      const { data, total, hasNextPage } = (await shops.list(`?${filter}`)).json;
      expect([data, total, hasNextPage], filter).to.deep.equal([[], 0, false]);
      expect(await counts(`?${filter}`)).to.deep.equal(none);
    }
    for (const filter of ["sucursalId=x", "sucursalId=0", "userId=1e3"]) {
      expect((await shops.list(`?${filter}`)).status, filter).to.equal(400);
    }
  });

  describe("of a period", () => {
    const moments = [
      "2026-01-31T03:59:59.999Z",
      "2026-01-31T04:00:00Z",
      "2026-01-31T23:59:59.999Z",
      "2026-02-01T00:00:00Z",
      "2026-02-01T03:59:59.999999Z",
      "2026-02-01T04:00:00Z",
      "2026-02-03T12:00:00Z",
      "2026-02-04T00:00:00Z",
    ];
    const bound = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;

    it("includes `from` and excludes `to` for any bounds, as the rows say (§13.6, §13.7)", async () => {
      await addOrders(
        ...moments.map((created_at, n) => ({ created_at, status: n % 2 ? 8 : 3, chat_id: 101 + (n % 3) })),
      );
      const bounds = [null, ...moments, "2025-12-01T00:00:00Z", "2026-02-02T10:00:00-04:00", "2026-03-01T00:00:00Z"];
      for (const from of bounds) {
        for (const to of bounds) {
          if (from !== null && to !== null && Date.parse(from) > Date.parse(to)) continue;
          const given = [...(from ? [bound("from", from)] : []), ...(to ? [bound("to", to)] : [])].join("&");
          // The service reads bounds in whole milliseconds.
          const [low, high] = [from && new Date(from).toISOString(), to && new Date(to).toISOString()];
          for (const [filter, condition] of [
            ["", "true"],
            ["&status=pending", "status = 8"],
            ["&sucursalId=101", "branch_id = 101"],
            ["&userId=102", "support_user_id = 102"],
          ] as const) {
            const found = await shops.rows<{ id: number }>(
              `select id from orders where business_id = 1 and ${condition} and ($1::timestamptz is null or created_at >= $1)
               and ($2::timestamptz is null or created_at < $2) order by created_at desc, id desc`,
              [low, high],
            );
            const answer = (await shops.list(`?${given}${filter}`)).json;
            const expected = found.map(({ id }) => id);
            const listed = answer.data.map(({ id }: { id: number }) => id);
            expect([listed, answer.total], `${given}${filter}`).to.deep.equal([expected, expected.length]);
            if (filter !== "") continue;
            const summed = Object.values(await counts(`?${given}`)).reduce((sum, n) => sum + n, 0);
            expect(summed).to.equal(expected.length);
          }
        }
      }
    });

    it("reads dates without a zone in the business's zone, and a day as its beginning (§13.6)", async () => {
      const added = await addOrders(...moments.map((created_at) => ({ created_at })));
      const range = (from: string, to: string) => ids(`?${bound("from", from)}&${bound("to", to)}`);
      const of = (first: number, last: number) => added.slice(first, last + 1).reverse();
      expect(await range("2026-01-31", "2026-02-01")).to.deep.equal(of(1, 4));
      expect(await range("2026-01-31T00:00:00", "2026-02-01T00:00")).to.deep.equal(of(1, 4));
      expect(await range("2026-02-01", "2026-02-01")).to.deep.equal([]);
      await shops.rows('update businesses set feature_flags = \'{"timezone": "UTC"}\' where id = 1');
      expect(await range("2026-01-31", "2026-02-01")).to.deep.equal(of(0, 2));
      await shops.rows("update businesses set feature_flags = '{}' where id = 1");
      expect(await range("2026-01-31", "2026-02-01")).to.deep.equal(of(1, 4));
    });

    it("uses the zone of La Paz if the business has no valid one (§13.6)", async () => {
      const added = await addOrders(...moments.map((created_at) => ({ created_at })));
      for (const timezone of ["Marte/Olimpo", "", null]) {
        await shops.rows("update businesses set feature_flags = $1 where id = 1", [JSON.stringify({ timezone })]);
        expect(await ids("?from=2026-01-31&to=2026-02-01"), `${timezone}`).to.deep.equal(added.slice(1, 5).reverse());
      }
      await shops.rows("update businesses set feature_flags = '{}' where id = 1");
    });

    it("is refused for an impossible date, or a beginning after its end (§13.6)", async () => {
      for (const wrong of ["2026-02-30", "yesterday", "2026-13-01", "2026-01-01T25:00:00Z", "20260101"]) {
        const answer = await shops.list(`?${bound("from", wrong)}`);
        expectRefused(answer, 400, { success: false, error: "from debe ser una fecha ISO 8601" });
        const upper = await shops.list(`?${bound("to", wrong)}`);
        expectRefused(upper, 400, { success: false, error: "to debe ser una fecha ISO 8601" });
      }
      const reversed = `?${bound("from", "2026-01-02")}&${bound("to", "2026-01-01T23:59:59-04:00")}`;
      const message = { success: false, error: "from no puede ser posterior a to" };
      expectRefused(await shops.list(reversed), 400, message);
      expectRefused(await shops.list(`/counts${reversed}`), 400, message);
    });

    it("is refused for an empty bound (§13.6)", async () => {
      for (const bound of ["from", "to"]) {
        for (const list of ["", "/counts"]) {
          const refused = { success: false, error: `${bound} no puede estar vacío` };
          expectRefused(await shops.list(`${list}?${bound}=`), 400, refused);
        }
      }
    });

    it("can use the limits of dates", async () => {
      await addOrders({});
      expect(await total(`?${bound("from", "0100-01-01")}&${bound("to", "9999-12-31T23:59:59-05:00")}`)).to.equal(1);
      expect(await total(`?${bound("from", "9999-12-31T23:59:59-05:00")}`)).to.equal(0);
    });
  });

  describe("by search", () => {
    const search = (q: string) => ids(`/search?q=${encodeURIComponent(q)}`);

    it("finds orders by id, and by parts of the contact's number and name (§13.11)", async () => {
      // The contacts' phone numbers do not contain these ids.
      const [a, b, c] = await addOrders(
        { id: 940_001, chat_id: 101 },
        { id: 940_002, chat_id: 102 },
        { id: 940_003, chat_id: 103 },
      );
      expect(await search(String(a))).to.deep.equal([a]);
      expect(await search(`#${b}`)).to.deep.equal([b]);
      expect(await search("carla")).to.deep.equal([a]);
      expect(await search("LIENT")).to.deep.equal([a]);
      expect(await search("0000102")).to.deep.equal([b]);
      expect(await search("+591 7000-0101")).to.deep.equal([a]);
      expect(await search("591")).to.deep.equal([c, b, a]);
      expect(await search(" zoe ")).to.deep.equal([c]);
      expect(await search("zo")).to.deep.equal([c]);
      expect(await search("oe")).to.deep.equal([]);
      expect(await search("nobody")).to.deep.equal([]);
      expect(await search("-")).to.deep.equal([]);
    });

    it("takes wildcards literally (§13.11)", async () => {
      const [, b] = await addOrders({ chat_id: 101 }, { chat_id: 102 });
      expect(await search("50%_o")).to.deep.equal([b]);
      for (const wild of ["%%%", "___", "C%e", "\\\\\\", "%"]) expect(await search(wild), wild).to.deep.equal([]);
    });

    it("finds only the business's orders (§13.3), in pages, and needs a search text (§13.11)", async () => {
      await addOrder(shops, 2, { chat_id: 201 });
      // The contacts' phone numbers do not contain this id.
      const theirs = await addOrder(shops, 2, { id: 940_004, chat_id: 202 });
      const added = await addOrders(...Array.from({ length: 11 }, () => ({})));
      expect(await search(String(theirs))).to.deep.equal([]);
      const { data, total, hasNextPage, page } = (await shops.list("/search?q=Carla&page=2&limit=4")).json;
      expect(data.map(({ id }: { id: number }) => id)).to.deep.equal(added.reverse().slice(4, 8));
      expect([total, hasNextPage, page]).to.deep.equal([11, true, 2]);
      expectRefused(await shops.list("/search"), 400, { success: false, error: "q es requerido" });
      for (const nothing of ["", "%20", "%20%09%20"]) {
        expectRefused(await shops.list(`/search?q=${nothing}`), 400, { success: false, error: "q es requerido" });
      }
      expect((await shops.list(`/search?q=${"x".repeat(101)}`)).status).to.equal(400);
      expect((await shops.list("/search?q=a%00b")).status).to.equal(400);
    });
  });

  it("shows one order with its version as it is read with an App Key (§13.12)", async () => {
    const [id] = await addOrders({ driver_id: 101 });
    const [listed, read] = [await shops.list(`/order/${id}`), await shops.get(`/catalogs/order/${id}`)];
    expect([listed.status, listed.headers.etag, listed.text]).to.deep.equal([200, '"v1"', read.text]);
    const theirs = await addOrder(shops, 2);
    for (const missing of [theirs, 99_999_999]) {
      expectRefused(await shops.list(`/order/${missing}`), 404, { message: "Order not found" });
    }
    const foreign = await request(`${shops.api}${path}/2/order/${theirs}?token=${shops.token}`);
    expectRefused(foreign, 401, { error: "Invalid token" });
  });
});
