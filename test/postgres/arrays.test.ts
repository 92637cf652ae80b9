import { expect } from "chai";
import fc from "fast-check";
import { plainArray, textArray } from "../../src/infra/postgres/arrays.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";

describe("arrays for PostgreSQL", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());

  const back = async (literal: string, type: string): Promise<unknown> =>
    (
      await opened.database.rows<{ back: unknown }>({ name: "", text: `select to_json($1::${type}[]) as back` }, [
        literal,
      ])
    )[0]?.back;

  it("hold texts as they are, and none", async () => {
    const hard = fc.constantFrom("", "null", "NULL", "{}", ",", '"', "\\", "\n", " a ", "ñ 👋", "\u2028");
    // A zero character is none to PostgreSQL, and half of a surrogate pair is none to UTF-8.
    const any = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));
    const texts = fc.array(fc.option(fc.oneof(hard, any)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        expect(await back(textArray(list), "text")).to.deep.equal(list);
      }),
      { numRuns: 100 },
    );
  });

  it("hold numbers, truths, and none", async () => {
    expect(await back(plainArray([1, -2.5, null, 9_007_199_254_740_991]), "float8")).to.deep.equal([
      1,
      -2.5,
      null,
      9_007_199_254_740_991,
    ]);
    expect(await back(plainArray([true, false, null]), "boolean")).to.deep.equal([true, false, null]);
    expect(await back(plainArray([]), "bigint")).to.deep.equal([]);
  });
});
