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

const failureOf = (bytes: AsyncIterable<Buffer>): Promise<string | undefined> =>
  all(csvRecords(decoded(bytes, false))).then(
    () => undefined,
    (error: Error) => error.message,
  );

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
    expect(await failureOf(pieces(endless, 10_000))).to.equal("El CSV no es válido");
  });

  it("gives the rows before a failure, even to a slow reader", async () => {
    const records = csvRecords(decoded(pieces(Buffer.from(`a,b\n${"1,2\n".repeat(50)}3,"4\n`), 10_000), false));
    let count = 0;
    const failure = await (async () => {
      for await (const _ of records) {
        count += 1;
        await new Promise((resolve) => setTimeout(resolve));
      }
    })().catch((error: Error) => error.message);
    expect([count, failure]).to.deep.equal([51, "El CSV no es válido"]);
  });

  it("is the same in slices as at once, also where a slice ends within a character", async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => [`${n}`, `€😀"\n,${"ñ".repeat(n % 7)}`, ""]);
    const csv = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n");
    expect(await all(csvRecords(decoded(pieces(Buffer.from(csv), 1_000_000), false)))).to.deep.equal(rows);
  });

  it("can have a thousand cells in a row, and ends at the next one", async () => {
    const row = (cells: number) => Buffer.from(`a,b\n${Array.from({ length: cells }, () => '"x,y"').join()}\n1,2\n`);
    const [, widest = []] = await all(csvRecords(decoded(pieces(row(1_000), 10_000), false)));
    expect([widest.length, widest.at(-1)]).to.deep.equal([1_000, "x,y"]);
    const tooWide = "Una fila del CSV tiene más de 1000 celdas";
    expect(await failureOf(pieces(row(1_001), 10_000))).to.equal(tooWide);
    const formatted = Buffer.from(`a,b\n1,2${",".repeat(16_382)}\n3,4\n`);
    const records = await all(csvRecords(decoded(pieces(formatted, 10_000), false)));
    expect(records.map((cells) => cells.slice(0, 2))).to.deep.equal([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
    ]);
  });

  it("ends at a row of millions of empty cells before all of it has arrived", async () => {
    let sent = 0;
    async function* row() {
      yield Buffer.from("a,b\n");
      for (; sent < 5_000_000; sent += 10_000) yield Buffer.alloc(10_000, ",");
    }
    expect(await failureOf(row())).to.equal("Una fila del CSV tiene más de 1000 celdas");
    expect(sent).to.be.below(1_000_000);
  });

  it("leaves turns of the event loop to others, however many rows a piece holds", async () => {
    const rows = 300_000;
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const file = Buffer.concat([Buffer.from("a,b\n"), Buffer.alloc(2 * rows, ",\n")]);
    const records = await all(csvRecords(decoded(pieces(file, file.length), false)));
    isOver = true;
    expect(records).to.have.length(rows + 1);
    expect(turns).to.be.above(10);
  });
});
