import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { aBusiness, type Listener, startWorld, type World } from "../support/world.ts";
import { Edits, expectAnswer, expectError } from "./edits.ts";
import { addLine, addOrder, openShop } from "./shop.ts";

describe("the lines of an order", () => {
  let world: World;
  let edits: Edits;
  let admin: Listener;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)], environment: { ROLE: "api" } });
    edits = new Edits(world);
    for (const id of [1, 2]) await openShop(world, id);
    admin = await world.listen(101);
  });
  after(() => world.stop());

  const customsOf = async (orderId: number) => (await edits.row(orderId)).extra_data.customExtras[orderId] ?? {};
  const ofOrder =
    (orderId: number) =>
    ({ name, payload }: { name: string; payload: Answer["json"] }): boolean =>
      name === "order:changed" && payload.id === orderId;
  const hears = async (orderId: number): Promise<Answer["json"]> => (await admin.hears(ofOrder(orderId))).payload;

  describe("POST /catalogs/orders/products/new: add a product", () => {
    const added = { message: "Producto añadido a la orden" };

    it("adds the product with its quantity, its retailer_id and its extras (§10.3)", async () => {
      const orderId = await addOrder(world, 1);
      const answer = await edits.add({ orderId, articleId: 101, quantity: 3, extras: [{ id: 102 }, { id: 101 }] });
      expectAnswer(answer, 200, added);
      expect(answer.headers.etag).to.equal('"v2"');
      const [line, ...others] = await edits.lines(orderId);
      expect(others).to.deep.equal([]);
      expect(line).to.include({ article_id: 101, quantity: 3, type: "item", retailer_id: "SAL-1" });
      expect(await edits.extras(line?.id ?? 0)).to.deep.equal([102, 101]);
      expect((await edits.row(orderId)).version).to.equal(2);
    });

    it("adds one product without a quantity, and accepts up to 10,000 (§10.3)", async () => {
      const orderId = await addOrder(world, 1);
      for (const quantity of [undefined, 1, 10_000]) {
        expectAnswer(await edits.add({ orderId, articleId: 102, quantity }), 200, added);
      }
      const lines = await edits.lines(orderId);
      expect(lines.map(({ quantity }) => quantity)).to.deep.equal([1, 1, 10_000]);
      expect(lines.map(({ retailer_id }) => retailer_id)).to.deep.equal([null, null, null]);
    });

    it("adds a product of type free_delivery or delivery as a delivery_coupon, and others as an item (§10.3)", async () => {
      const types = { free_delivery: "delivery_coupon", delivery: "delivery_coupon", item: "item", combo: "item" };
      for (const [type, expected] of Object.entries(types)) {
        const [article] = await world.rows<{ id: number }>(
          "insert into articles (business_id, name, price, type) values (1, 'x', 1, $1) returning id",
          [type],
        );
        const orderId = await addOrder(world, 1);
        expectAnswer(await edits.add({ orderId, articleId: article?.id }), 200, added);
        expect((await edits.lines(orderId))[0]?.type, type).to.equal(expected);
      }
    });

    it("counts the product and each extra in the statistics (§10.2, §10.4)", async () => {
      const orderId = await addOrder(world, 1);
      await edits.add({ orderId, articleId: 101, quantity: 5, extras: [{ id: 103 }, { id: 101 }, { id: 103 }] });
      expect(await edits.statistics(orderId)).to.deep.equal([
        { name: "product_picked", article_id: 101, extra_id: null },
        { name: "extra_picked", article_id: 101, extra_id: 103 },
        { name: "extra_picked", article_id: 101, extra_id: 101 },
        { name: "extra_picked", article_id: 101, extra_id: 103 },
      ]);
      const [line] = await edits.lines(orderId);
      expect(await edits.extras(line?.id ?? 0)).to.deep.equal([103, 101, 103]);
    });

    it("counts a missing extra or another business's, but does not add it (§10.4)", async () => {
      const orderId = await addOrder(world, 1);
      const custom = { customPrice: 1, picked: "Sí" };
      const extras = [{ id: 999_999, ...custom }, { id: 201, ...custom }, { id: 101 }];
      expectAnswer(await edits.add({ orderId, articleId: 101, extras }), 200, added);
      expect((await edits.statistics(orderId)).map(({ extra_id }) => extra_id)).to.deep.equal([
        null,
        999_999,
        201,
        101,
      ]);
      const [line] = await edits.lines(orderId);
      expect(await edits.extras(line?.id ?? 0)).to.deep.equal([101]);
      expect(await customsOf(orderId)).to.deep.equal({});
    });

    it("stores and charges a custom price if both customPrice and picked are sent (§10.4)", async () => {
      const orderId = await addOrder(world, 1);
      const extras = [
        { id: 101, customPrice: 0.3, picked: "Doble" },
        { id: 102, customPrice: 9.99 },
        { id: 103, picked: "Sí" },
      ];
      await edits.add({ orderId, articleId: 101, quantity: 2, extras });
      const [line] = await edits.lines(orderId);
      expect((await edits.row(orderId)).extra_data).to.deep.equal({
        version: 1,
        customExtras: { [orderId]: { [`101:${line?.id}`]: { price: 0.3, picked: "Doble" } } },
      });
      // 2 x (8.10 + 0.30 + 3.20 + 5.00) + 10.50
      expect((await hears(orderId)).total).to.equal(43.7);
    });

    it("uses the last custom price of an extra that is sent twice, also a price of 0 (§10.4)", async () => {
      const orderId = await addOrder(world, 1);
      const picked = 'con "comillas" \\ y {llaves}, ñ';
      const prices = [{ customPrice: 5 }, { customPrice: 0 }];
      await edits.add({ orderId, articleId: 101, extras: prices.map((price) => ({ id: 101, picked, ...price })) });
      const [line] = await edits.lines(orderId);
      expect(await customsOf(orderId)).to.deep.equal({ [`101:${line?.id}`]: { price: 0, picked } });
    });

    it("keeps other contents of extra_data (§10.4)", async () => {
      const orderId = await addOrder(world, 1);
      const held = { [orderId]: { "7:8": { price: 1, picked: "x" } }, 5: { "1:2": { price: 2, picked: "y" } } };
      for (const stored of [{ version: 1, customExtras: held }, { version: 1, customExtras: held, more: true }, {}]) {
        await world.rows("update orders set extra_data = $2 where business_id = 1 and id = $1", [orderId, stored]);
        await edits.add({ orderId, articleId: 101, extras: [{ id: 101, customPrice: 1.5, picked: "z" }] });
        const line = (await edits.lines(orderId)).at(-1);
        const custom = { [`101:${line?.id}`]: { price: 1.5, picked: "z" } };
        const before: Readonly<Record<string, object>> = "customExtras" in stored ? held : {};
        expect((await edits.row(orderId)).extra_data).to.deep.equal({
          version: 1,
          ...stored,
          customExtras: { ...before, [orderId]: { ...before[orderId], ...custom } },
        });
      }
    });

    it("replaces invalid custom prices in extra_data (§10.4)", async () => {
      const orderId = await addOrder(world, 1);
      const others = [null, "none", 5, [1]];
      for (const customExtras of [...others, ...others.map((other) => ({ [orderId]: other }))]) {
        const stored = { version: 1, customExtras };
        await world.rows("update orders set extra_data = $2 where business_id = 1 and id = $1", [orderId, stored]);
        const extras = [{ id: 101, customPrice: 1.5, picked: "z" }];
        expectAnswer(await edits.add({ orderId, articleId: 101, extras }), 200, added);
        const line = (await edits.lines(orderId)).at(-1);
        expect(await customsOf(orderId)).to.deep.equal({ [`101:${line?.id}`]: { price: 1.5, picked: "z" } });
      }
    });

    it("notifies clients once after the commit, and not after a failure (§10.5)", async () => {
      const orderId = await addOrder(world, 1);
      expect((await edits.add({ orderId, articleId: 999_999 })).status).to.equal(400);
      expect((await edits.add({ orderId, articleId: 101 }, { "if-match": '"v2"' })).status).to.equal(412);
      await edits.add({ orderId, articleId: 101, extras: [{ id: 102 }] });
      const payload = await hears(orderId);
      expect(payload).to.include({ empresa_id: 1, version: 2, total: 21.8 });
      expect(payload.details[0]).to.deep.include({ articulo: { id: 101, name: "Salteña", price: "8.10" } });
      expect(admin.heard.filter(ofOrder(orderId))).to.have.length(1);
      expect(await edits.logged(orderId)).to.equal(1);
    });

    it("refuses a missing product before a missing order, and changes nothing (§10.1)", async () => {
      const orderId = await addOrder(world, 1);
      const theirs = await addOrder(world, 2);
      const before = await edits.everything();
      const extras = [{ id: 101, customPrice: 1, picked: "x" }];
      for (const articleId of [999_999, 201]) {
        expectError(await edits.add({ orderId, articleId, extras }), 400, "Producto no encontrado");
        expectError(await edits.add({ orderId: 999_999, articleId, extras }), 400, "Producto no encontrado");
      }
      for (const missing of [999_999, theirs]) {
        expectError(await edits.add({ orderId: missing, articleId: 101, extras }), 400, "Order no existe");
      }
      expect(await edits.everything()).to.deep.equal(before);
    });

    const wrong: [changes: object, complaint: string][] = [
      [{ orderId: undefined }, "orderId es requerido"],
      [{ orderId: "1" }, "orderId debe ser un número"],
      [{ articleId: undefined }, "articleId es requerido"],
      [{ articleId: null }, "articleId debe ser un número"],
      [{ articleId: 0 }, "articleId no es válido"],
      [{ quantity: 0 }, "quantity no es válido"],
      [{ quantity: 10_001 }, "quantity no es válido"],
      [{ quantity: 1.5 }, "quantity debe ser un número"],
      [{ quantity: "2" }, "quantity debe ser un número"],
      [{ quantity: null }, "quantity debe ser un número"],
      [{ extras: undefined }, "extras es requerido"],
      [{ extras: null }, "extras debe ser un arreglo"],
      [{ extras: { id: 101 } }, "extras debe ser un arreglo"],
      [{ extras: [101] }, "extras[0] debe ser un objeto"],
      [{ extras: [{ id: 101 }, {}] }, "extras[1] debe tener id"],
      [{ extras: [{ id: "101" }] }, "extras[0].id debe ser un número"],
      [{ extras: Array(101).fill({ id: 101 }) }, "extras no puede tener más de 100 elementos"],
      [{ extras: [{ id: 101, customPrice: "1", picked: "x" }] }, "extras[0].customPrice debe ser un número"],
      [{ extras: [{ id: 101, customPrice: null }] }, "extras[0].customPrice debe ser un número"],
      [{ extras: [{ id: 101, customPrice: -0.01, picked: "x" }] }, "extras[0].customPrice no es válido"],
      [{ extras: [{ id: 101, customPrice: 1e15 }] }, "extras[0].customPrice no es válido"],
      [{ extras: [{ id: 101 }, { id: 101, customPrice: 0.001 }] }, "extras[1].customPrice admite hasta dos decimales"],
      [{ extras: [{ id: 101, picked: 1 }] }, "extras[0].picked debe ser un texto"],
      [{ extras: [{ id: 101, picked: "x".repeat(256) }] }, "extras[0].picked no puede tener más de 255 caracteres"],
    ];
    for (const [changes, complaint] of wrong) {
      it(`answers a wrong field with '${complaint}' (§10.6)`, async () => {
        const orderId = await addOrder(world, 1);
        const before = await edits.everything();
        expectError(await edits.add({ orderId, articleId: 101, ...changes }), 400, complaint);
        expect(await edits.everything()).to.deep.equal(before);
      });
    }

    it("refuses a total that a number cannot represent exactly, and changes nothing (§10.6)", async () => {
      const orderId = await addOrder(world, 1);
      const most = { id: 101, customPrice: 999_999_999_999.99, picked: "x" };
      expect((await edits.add({ orderId, articleId: 101, quantity: 90, extras: [most] })).status).to.equal(200);
      const before = await edits.everything();
      const answer = await edits.add({ orderId, articleId: 101, extras: [most] });
      expectError(answer, 400, "El total de la orden es demasiado grande");
      expect(await edits.everything()).to.deep.equal(before);
    });

    it("accepts a hundred extras with custom prices (§10.6)", async () => {
      const orderId = await addOrder(world, 1);
      await world.rows(
        "insert into article_extras (business_id, id, name, charge) select 1, 5000 + n, 'x', 1 from generate_series(1, 100) n",
      );
      const extras = Array.from({ length: 100 }, (_, n) => ({ id: 5001 + n, customPrice: n + 0.07, picked: `${n}` }));
      expectAnswer(await edits.add({ orderId, articleId: 101, extras }), 200, added);
      expect(Object.keys(await customsOf(orderId))).to.have.length(100);
      // 8.10 + 10.50 + the sum of 0 to 99 + 100 x 0.07
      expect((await hears(orderId)).total).to.equal(4975.6);
    });

    it("answers a failure of the database in its own words", async () => {
      const orderId = await addOrder(world, 1);
      await world.rows("alter table commerce_events rename to commerce_events_away");
      try {
        expectError(await edits.add({ orderId, articleId: 101 }), 500, "Algo salió mal");
      } finally {
        await world.rows("alter table commerce_events_away rename to commerce_events");
      }
      expect(await edits.lines(orderId)).to.deep.equal([]);
      expect(await edits.logged(orderId)).to.equal(0);
    });

    it("loses no product and no custom price of thirty simultaneous requests (§10.6)", async () => {
      const orderId = await addOrder(world, 1);
      const extras = (n: number) => [{ id: 101 + (n % 3), customPrice: n / 4, picked: `${n}` }];
      const bodies = Array.from({ length: 30 }, (_, n) => ({ orderId, articleId: 101, extras: extras(n) }));
      const answers = await Promise.all(bodies.map((body) => edits.add(body)));
      for (const answer of answers) expectAnswer(answer, 200, added);
      const picked = Object.values(await customsOf(orderId)).map((custom) => (custom as { picked: string }).picked);
      expect(picked.map(Number).sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 30 }, (_, n) => n));
      const tags = answers.map(({ headers }) => Number(headers.etag?.slice(2, -1)));
      expect(tags.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 30 }, (_, n) => n + 2));
    });

    it("is made only at the version in If-Match (§10.7)", async () => {
      const orderId = await addOrder(world, 1);
      expectAnswer(await edits.add({ orderId, articleId: 101 }, { "if-match": '"v1"' }), 200, added);
      const before = await edits.everything();
      expectError(await edits.add({ orderId, articleId: 101 }, { "if-match": '"v1"' }), 412, "La orden cambió");
      expectError(await edits.add({ orderId, articleId: 101 }, { "if-match": "v2" }), 400, "If-Match no es válido");
      expectError(await edits.add({ orderId: 999_999, articleId: 101 }, { "if-match": "*" }), 400, "Order no existe");
      expect(await edits.everything()).to.deep.equal(before);
      expectAnswer(await edits.add({ orderId, articleId: 101 }, { "if-match": "*" }), 200, added);
    });

    it("is done once for one Idempotency-Key, and repeats the answer", async () => {
      const orderId = await addOrder(world, 1);
      const key = { "idempotency-key": `add-${orderId}` };
      const body = { orderId, articleId: 101, extras: [{ id: 101 }] };
      const [first, again] = [await edits.add(body, key), await edits.add(body, key)];
      expectAnswer(first, 200, added);
      expectAnswer(again, 200, added);
      expect([again.headers["idempotent-replay"], again.headers.etag]).to.deep.equal(["true", '"v2"']);
      expect(await edits.lines(orderId)).to.have.length(1);
    });
  });

  describe("DELETE /catalogs/orders/details/delete: remove a product", () => {
    const removed = { message: "Detalle borrado" };

    it("deletes only the detail and its extras (§11.2)", async () => {
      const orderId = await addOrder(world, 1);
      const [detailId, other] = [
        await addLine(world, 1, orderId, { extras: [101, 102] }),
        await addLine(world, 1, orderId, { extras: [103] }),
      ];
      const answer = await edits.remove({ detailId, orderId });
      expectAnswer(answer, 200, removed);
      expect(answer.headers.etag).to.equal('"v2"');
      expect((await edits.lines(orderId)).map(({ id }) => id)).to.deep.equal([other]);
      expect([await edits.extras(detailId), await edits.extras(other)]).to.deep.equal([[], [103]]);
      expect((await edits.row(orderId)).version).to.equal(2);
      expect(await edits.statistics(orderId)).to.deep.equal([]);
    });

    it("removes only the custom prices of the detail (§11.2)", async () => {
      const orderId = await addOrder(world, 1);
      for (const n of [1, 2]) {
        const extras = [101, 102].map((id) => ({ id, customPrice: n, picked: "x" }));
        await edits.add({ orderId, articleId: 101, extras });
      }
      const [detailId, other] = (await edits.lines(orderId)).map(({ id }) => id);
      await world.rows(
        `update orders set extra_data = jsonb_set(extra_data, '{customExtras, 5}', '{"101:${detailId}": {}}')
         where business_id = 1 and id = $1`,
        [orderId],
      );
      await edits.remove({ detailId, orderId });
      expect((await edits.row(orderId)).extra_data).to.deep.equal({
        version: 1,
        customExtras: {
          5: { [`101:${detailId}`]: {} },
          [orderId]: { [`101:${other}`]: { price: 2, picked: "x" }, [`102:${other}`]: { price: 2, picked: "x" } },
        },
      });
    });

    it("notifies clients of the changed order (§11.3)", async () => {
      const orderId = await addOrder(world, 1);
      const detailId = await addLine(world, 1, orderId);
      await edits.remove({ detailId, orderId });
      expect(await hears(orderId)).to.deep.include({ details: [], total: 10.5, version: 2 });
      expect(await edits.logged(orderId)).to.equal(1);
    });

    it("keeps invalid custom prices in extra_data (§11.2)", async () => {
      const others = [null, "none", 5, [1]].map((other) => JSON.stringify(other));
      for (const extraData of [
        "{}",
        ...others.map((other) => `{"customExtras": ${other}}`),
        ...others.map((other) => `{"customExtras": {"ORDER": ${other}}, "note": 1}`),
      ]) {
        const orderId = await addOrder(world, 1);
        const detailId = await addLine(world, 1, orderId, { extras: [101] });
        const given = extraData.replace("ORDER", String(orderId));
        await world.rows("update orders set extra_data = $2 where business_id = 1 and id = $1", [orderId, given]);
        expectAnswer(await edits.remove({ detailId, orderId }), 200, removed);
        expect((await edits.row(orderId)).extra_data).to.deep.equal(JSON.parse(given));
      }
    });

    it("answers 'No existe' for a missing detail or another business's (§11.1)", async () => {
      const orderId = await addOrder(world, 1);
      const theirOrder = await addOrder(world, 2);
      const theirs = await addLine(world, 2, theirOrder);
      const before = await edits.everything();
      for (const detailId of [999_999, theirs]) {
        for (const id of [orderId, theirOrder, 999_999]) {
          expectError(await edits.remove({ detailId, orderId: id }), 400, "No existe");
        }
      }
      expect(await edits.everything()).to.deep.equal(before);
    });

    it("deletes the detail even if orderId is wrong, announces its own order, and answers 500 (§11.3)", async () => {
      const theirs = await addOrder(world, 2);
      for (const nowhere of [999_999, theirs]) {
        const orderId = await addOrder(world, 1);
        const detailId = await addLine(world, 1, orderId, { extras: [101] });
        expectError(await edits.remove({ detailId, orderId: nowhere }), 500, "Algo salió mal");
        expect(await edits.lines(orderId)).to.deep.equal([]);
        expect(await edits.extras(detailId)).to.deep.equal([]);
        expect((await hears(orderId)).version).to.equal(2);
      }
    });

    it("changes the detail's own order if another one is named, and announces both (§11.4)", async () => {
      const [own, named] = [await addOrder(world, 1), await addOrder(world, 1)];
      const custom = { id: 101, customPrice: 1, picked: "x" };
      await edits.add({ orderId: own, articleId: 101, extras: [custom] });
      const [line] = await edits.lines(own);
      const answer = await edits.remove({ detailId: line?.id, orderId: named });
      expectAnswer(answer, 200, removed);
      expect(answer.headers.etag).to.equal('"v1"');
      expect(await edits.lines(own)).to.deep.equal([]);
      expect(await customsOf(own)).to.deep.equal({});
      expect([(await edits.row(own)).version, (await edits.row(named)).version]).to.deep.equal([3, 1]);
      expect((await edits.changes(own)).map(({ action }) => action)).to.deep.equal(["line_added", "line_removed"]);
      expect(await edits.changes(named)).to.deep.equal([]);
      expect((await hears(named)).version).to.equal(1);
      const { payload } = await admin.hears((event) => ofOrder(own)(event) && event.payload.version === 3);
      expect(payload.details).to.deep.equal([]);
    });

    const wrong: [body: unknown, complaint: string][] = [
      [{ orderId: 1 }, "detailId es requerido"],
      [{ detailId: "1", orderId: 1 }, "detailId debe ser un número"],
      [{ detailId: 0, orderId: 1 }, "detailId no es válido"],
      [{ detailId: 1 }, "orderId es requerido"],
      [{ detailId: 1, orderId: null }, "orderId debe ser un número"],
      [undefined, "detailId es requerido"],
      ["x", "detailId es requerido"],
    ];
    for (const [body, complaint] of wrong) {
      it(`answers ${JSON.stringify(body)} with '${complaint}' (§11.1)`, async () =>
        expectError(await edits.remove(body), 400, complaint));
    }

    it("removes a detail once by ten simultaneous requests (§11.1)", async () => {
      const orderId = await addOrder(world, 1);
      const detailId = await addLine(world, 1, orderId, { extras: [101] });
      const answers = await Promise.all(Array.from({ length: 10 }, () => edits.remove({ detailId, orderId })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(400)]);
      expect((await edits.row(orderId)).version).to.equal(2);
      expect(await edits.changes(orderId)).to.have.length(1);
    });

    it("is made only at the version of the named order in If-Match (§11.5, §11.6)", async () => {
      const orderId = await addOrder(world, 1);
      const details = [await addLine(world, 1, orderId), await addLine(world, 1, orderId)];
      const [detailId, second] = details;
      const theirs = await addOrder(world, 2);
      const before = await edits.everything();
      for (const [body, header] of [
        [{ detailId, orderId }, '"v2"'],
        [{ detailId, orderId }, 'W/"v1"'],
        [{ detailId, orderId: 999_999 }, '"v1"'],
        [{ detailId, orderId: 999_999 }, "*"],
        [{ detailId, orderId: theirs }, '"v1"'],
        [{ detailId, orderId: theirs }, "*"],
      ] as const) {
        expectError(await edits.remove(body, { "if-match": header }), 412, "La orden cambió");
      }
      expectError(await edits.remove({ detailId, orderId }, { "if-match": "v1" }), 400, "If-Match no es válido");
      for (const header of ['"v1"', '"v2"']) {
        expectError(await edits.remove({ detailId: 999_999, orderId }, { "if-match": header }), 400, "No existe");
      }
      expect(await edits.everything()).to.deep.equal(before);
      expectAnswer(await edits.remove({ detailId, orderId }, { "if-match": '"v1"' }), 200, removed);
      expectAnswer(await edits.remove({ detailId: second, orderId }, { "if-match": "*" }), 200, removed);
    });

    it("answers a failure of the database in its own words, and deletes nothing", async () => {
      const orderId = await addOrder(world, 1);
      const detailId = await addLine(world, 1, orderId);
      await world.rows("alter table order_changes rename to order_changes_away");
      try {
        expectError(await edits.remove({ detailId, orderId }), 500, "Algo salió mal");
      } finally {
        await world.rows("alter table order_changes_away rename to order_changes");
      }
      expect(await edits.lines(orderId)).to.have.length(1);
    });
  });
});
