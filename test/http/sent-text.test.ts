import { expect } from "chai";
import { csvRecords } from "../../src/infra/http/streaming/csv-records.ts";
import { decoded } from "../../src/infra/http/streaming/sent-text.ts";

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const text = "numero,nombre\n1,Peña €😀 ñandú\n2,Ana\n";

describe("text while it arrives", () => {
  for (const size of [1, 2, 3, 5, 1_000]) {
    const read = async (bytes: Buffer, isLatin = false) => (await all(decoded(pieces(bytes, size), isLatin))).join("");

    it(`is read as UTF-8 in pieces of ${size}`, async () => {
      expect(await read(Buffer.from(text))).to.equal(text);
    });

    it(`is read as Latin-1 in pieces of ${size} if it is not UTF-8`, async () => {
      const latin = "numero,nombre\n1,Peña ñandú\n2,José";
      expect(await read(Buffer.from(latin, "latin1"))).to.equal(latin);
      expect(await read(Buffer.from("Ã±", "latin1"), true)).to.equal("Ã±");
    });

    it(`is split into records in pieces of ${size}`, async () => {
      const csv = Buffer.from('\ufeffa;"b;\n""c"""\r\n\r\n1;2;3\r\n4');
      const records = await all(csvRecords(decoded(pieces(csv, size), false)));
      expect(records).to.deep.equal([["a", 'b;\n"c"'], ["1", "2", "3"], ["4"]]);
    });
  }

  it("is refused as CSV if a quote is never closed", async () => {
    const endless = Buffer.from(`a,b\n1,"${"x".repeat(300_000)}`);
    const failure = await all(csvRecords(decoded(pieces(endless, 10_000), false))).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).to.equal("El CSV no es válido");
  });
});
