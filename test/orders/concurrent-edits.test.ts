import { expect } from "chai";
import fc from "fast-check";
import type { Answer } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { Edits } from "./edits.ts";
import { addLine, addOrder, openShop } from "./shop.ts";

/** Concurrent edits of an order must have the same result as if they came one after the other, sorted by version. */

interface Extra {
  readonly id: number;
  readonly customPrice?: number;
  readonly picked?: string;
}

type Edit =
  | { readonly kind: "update"; readonly paymentMethod: string; readonly zoneId: number; readonly followsZone: boolean }
  | { readonly kind: "add"; readonly articleId: number; readonly extras: readonly Extra[] }
  /** The position among the initial lines. */
  | { readonly kind: "remove"; readonly nth: number };

interface Planned {
  readonly edit: Edit;
  /** The version in `If-Match`. */
  readonly expected: number | null;
}

const editsAtOnce = 50;
const firstLines = 12;
const firstCustom = { price: 2.5, picked: "Mucho" };

const price = fc.integer({ min: 0, max: 9_999 }).map((cents) => cents / 100);
const extra = fc.record<Extra, "id">(
  { id: fc.constantFrom(101, 102, 103, 999_999), customPrice: price, picked: fc.constantFrom("Poco", "Doble") },
  { requiredKeys: ["id"] },
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant("update" as const),
    paymentMethod: fc.constantFrom("cash", "card", "qr"),
    zoneId: fc.constantFrom(101, 102),
    followsZone: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("add" as const),
    articleId: fc.constantFrom(101, 102, 103),
    extras: fc.array(extra, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), nth: fc.integer({ min: 0, max: firstLines - 1 }) }),
);
const plan: fc.Arbitrary<Planned[]> = fc.array(
  fc.record({ edit, expected: fc.option(fc.integer({ min: 1, max: editsAtOnce }), { freq: 9 }) }),
  { minLength: editsAtOnce, maxLength: editsAtOnce },
);

interface Line {
  readonly articleId: number;
  readonly extras: readonly number[];
  readonly customs: Readonly<Record<number, object>>;
}

interface Model {
  paymentMethod: string;
  zoneId: number;
  branchId: number;
  /** Lines are found by their quantity, which is unique. */
  readonly lines: Map<number, Line>;
}

/** Each line has a unique quantity: from 1,000 on for lines that edits add, from 1 on for initial lines. */
const quantityOf = (place: number): number => 1_000 + place;
const firstQuantity = (nth: number): number => 1 + nth;

/** Applies an edit to the model. Returns false if the edit has no effect. */
function apply(model: Model, edit: Edit, place: number): boolean {
  switch (edit.kind) {
    case "update":
      model.paymentMethod = edit.paymentMethod;
      model.zoneId = edit.zoneId;
      model.branchId = edit.followsZone ? edit.zoneId : 101;
      return true;
    case "add": {
      const known = edit.extras.filter(({ id }) => id !== 999_999);
      const priced = known.filter(({ customPrice, picked }) => customPrice !== undefined && picked !== undefined);
      const customs = priced.map(({ id, customPrice, picked }) => [id, { price: customPrice, picked }]);
      model.lines.set(quantityOf(place), {
        articleId: edit.articleId,
        extras: known.map(({ id }) => id),
        customs: Object.fromEntries(customs),
      });
      return true;
    }
    case "remove":
      return model.lines.delete(firstQuantity(edit.nth));
  }
}

describe("simultaneous edits of one order", () => {
  let world: World;
  let edits: Edits;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1)], environment: { ROLE: "api" } });
    edits = new Edits(world);
    await openShop(world, 1);
  });
  after(() => world.stop());

  const perform = (orderId: number, lineIds: readonly number[], { edit, expected }: Planned, place: number) => {
    const headers: Record<string, string> = expected === null ? {} : { "if-match": `"v${expected}"` };
    if (edit.kind === "remove") return edits.remove({ orderId, detailId: lineIds[edit.nth] }, headers);
    if (edit.kind === "add") {
      const { articleId, extras } = edit;
      return edits.add({ orderId, articleId, quantity: quantityOf(place), extras }, headers);
    }
    const { paymentMethod, zoneId, followsZone: shouldUpdateSucursal } = edit;
    const body = { orderId, shipmentMethod: "delivery", sucursalId: 101, paymentMethod, zoneId, shouldUpdateSucursal };
    return edits.update(body, headers);
  };

  /** The stored order in the model's form. */
  const stored = async (orderId: number): Promise<object> => {
    const row = await edits.row(orderId);
    const customs = row.extra_data.customExtras[orderId] ?? {};
    const lines = (await edits.lines(orderId)).map(async ({ id, article_id, quantity }) => {
      const own = Object.entries(customs).flatMap(([key, custom]) => {
        const [extraId, lineId] = key.split(":");
        return lineId === String(id) ? [[extraId, custom]] : [];
      });
      return [
        quantity,
        { articleId: article_id, extras: await edits.extras(id), customs: Object.fromEntries(own) },
      ] as const;
    });
    return {
      paymentMethod: row.payment_method,
      zoneId: row.zone_id,
      branchId: row.branch_id,
      customs: Object.keys(customs).length,
      lines: Object.fromEntries(await Promise.all(lines)),
    };
  };
  const shown = ({ lines, ...fields }: Model): object => ({
    ...fields,
    customs: [...lines.values()].reduce((sum, { customs }) => sum + Object.keys(customs).length, 0),
    lines: Object.fromEntries(lines),
  });

  const versionOf = ({ headers }: Answer): number => Number(/^"v(\d+)"$/.exec(headers.etag ?? "")?.[1]);

  const hold = async (planned: readonly Planned[]): Promise<void> => {
    const orderId = await addOrder(world, 1);
    const model: Model = { paymentMethod: "cash", zoneId: 101, branchId: 101, lines: new Map() };
    const lineIds: number[] = [];
    for (let nth = 0; nth < firstLines; nth += 1) {
      const quantity = firstQuantity(nth);
      lineIds.push(await addLine(world, 1, orderId, { quantity, extras: [101] }));
      model.lines.set(quantity, { articleId: 101, extras: [101], customs: { 101: firstCustom } });
    }
    const customs = Object.fromEntries(lineIds.map((id) => [`101:${id}`, firstCustom]));
    await world.rows("update orders set extra_data = $2 where business_id = 1 and id = $1", [
      orderId,
      { version: 1, customExtras: { [orderId]: customs } },
    ]);

    const answers = await Promise.all(planned.map((each, place) => perform(orderId, lineIds, each, place)));

    const done = answers.flatMap((answer, place) => (answer.status === 200 ? [{ place, at: versionOf(answer) }] : []));
    done.sort((one, other) => one.at - other.at);
    // The versions show in which sequence the edits succeeded. They must have no gaps.
    expect(done.map(({ at }) => at)).to.deep.equal(done.map((_, index) => index + 2));
    for (const { place, at } of done) {
      const { edit, expected } = planned[place] ?? { edit: { kind: "remove", nth: -1 }, expected: null };
      expect(apply(model, edit, place), `edit ${place} had something to do`).to.equal(true);
      if (expected !== null) expect(at).to.equal(expected + 1);
    }
    answers.forEach(({ status, text }, place) => {
      const { edit, expected } = planned[place] ?? {};
      if (status === 412) expect(expected).to.be.a("number");
      else if (status === 400) expect([edit?.kind, text]).to.deep.equal(["remove", '{"message":"No existe"}']);
      else expect(status, text).to.equal(200);
    });
    // A line that was not found was removed by another edit.
    const gone = planned.filter((_, place) => answers[place]?.status === 400);
    for (const { edit } of gone)
      expect(model.lines.has(firstQuantity(edit.kind === "remove" ? edit.nth : 0))).to.equal(false);

    expect(await stored(orderId)).to.deep.equal(shown(model));
    expect((await edits.row(orderId)).version).to.equal(1 + done.length);
    const actions = { update: "updated", add: "line_added", remove: "line_removed" };
    expect(await edits.changes(orderId)).to.deep.equal(
      done.map(({ place, at }) => ({ version: at, action: actions[planned[place]?.edit.kind ?? "update"] })),
    );
    expect(await edits.logged(orderId)).to.equal(done.length);
    const additions = done.flatMap(({ place }) => {
      const { edit } = planned[place] ?? {};
      return edit?.kind === "add" ? [1 + edit.extras.length] : [];
    });
    expect(await edits.statistics(orderId)).to.have.length(additions.reduce((sum, count) => sum + count, 0));
    await expectHistoryFits(orderId);
  };

  /** In the history, each change of a field must start from the value that the field's previous change set. */
  const expectHistoryFits = async (orderId: number): Promise<void> => {
    const { json } = await edits.history(orderId, "?limit=100");
    const last = new Map<string, unknown>();
    for (const { changes } of json.data.toReversed()) {
      for (const [field, { from, to }] of Object.entries<{ from: unknown; to: unknown }>(changes)) {
        if (field === "detail") continue;
        if (last.has(field)) expect(from, field).to.deep.equal(last.get(field));
        last.set(field, to);
      }
    }
  };

  it(`have the same result as one after the other, for ${editsAtOnce} of them (§9.8, §10.6, §11.5)`, async () => {
    await fc.assert(fc.asyncProperty(plan, hold), { numRuns: 4, endOnFailure: true });
  });

  it("that name each other's orders do not deadlock (§11.4)", async () => {
    const [one, other] = [await addOrder(world, 1), await addOrder(world, 1)];
    const removals: Promise<Answer>[] = [];
    for (let n = 0; n < 10; n += 1) {
      const [ofOne, ofOther] = [await addLine(world, 1, one), await addLine(world, 1, other)];
      removals.push(
        edits.remove({ detailId: ofOne, orderId: other }),
        edits.remove({ detailId: ofOther, orderId: one }),
      );
    }
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses).to.deep.equal(Array(20).fill(200));
    expect([(await edits.row(one)).version, (await edits.row(other)).version]).to.deep.equal([11, 11]);
  });
});
