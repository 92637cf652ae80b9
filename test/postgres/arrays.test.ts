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

  it("keep any texts and nulls", async () => {
    const hard = fc.constantFrom("", "null", "NULL", "{}", ",", '"', "\\", "\n", " a ", "ñ 👋", "\u2028");
    // No text contains U+0000, which PostgreSQL cannot store, or half a surrogate pair, which UTF-8 cannot encode.
    const any = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));
    const texts = fc.array(fc.option(fc.oneof(hard, any)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        expect(await back(textArray(list), "text")).to.deep.equal(list);
      }),
      { numRuns: 100 },
    );
  });

  it("keep numbers, booleans and nulls", async () => {
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
