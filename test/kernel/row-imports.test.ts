import { expect } from "chai";
import { ImportRows, noProgress } from "../../src/kernel/row-imports.ts";

describe("importing rows", () => {
  const batchesOf = async (rows: number, cells: readonly string[]): Promise<number[]> => {
    const imports = new ImportRows({ add: async () => {} }, () => "file");
    const batches: number[] = [];
    async function* all() {
      for (let row = 0; row < rows; row += 1) yield { cells, row };
    }
    const rowImport = {
      keyOf: String,
      take: async (some: readonly number[]) => {
        batches.push(some.length);
        return some.map(() => "created" as const);
      },
      lineOf: () => "",
      header: "",
    };
    await imports.execute(1, all(), rowImport, noProgress());
    return batches;
  };

  it("writes a thousand rows at once, fewer if they are long or have many cells", async () => {
    expect(await batchesOf(2_500, ["59174000001", "Ana"])).to.deep.equal([1_000, 1_000, 500]);
    expect(await batchesOf(20, ["x".repeat(250_000)])).to.deep.equal([8, 8, 4]);
    expect(
      await batchesOf(
        500,
        Array.from({ length: 1_000 }, () => ""),
      ),
    ).to.deep.equal([250, 250]);
  });
});
