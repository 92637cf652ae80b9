import { pipeline, Readable, type TransformCallback } from "node:stream";
import { CsvError, Parser } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { nextTurn } from "../../../kernel/turns.ts";
import { InvalidInput } from "../routing/dialect.ts";

/** Limits in characters. */
const longestHeader = 64 * 1024;
const longestRecord = 256 * 1024;
/** The most cells of a row. Our widest export, of contacts, has 506 columns. */
export const mostCells = 1_000;
/** Bytes that are parsed at once. Even at two bytes a row, the parsing takes less than a millisecond. */
const sliceBytes = 4 * 1024;

/** Parses a CSV file with commas or semicolons. Yields the header, then the rows. Throws `InvalidInput`. */
export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const pieces = text[Symbol.asyncIterator]();
  const begin = await beginning(pieces);
  if (isUtf16(begin)) throw new InvalidInput("El CSV está en UTF-16: debe estar en UTF-8 o Latin-1");
  const parser = new RecordParser({
    delimiter: separatorOf(begin),
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    // The parser does not count separators for `max_record_size`. Separators after `mostCells` cells are joined to the
    // last cell and do count, so that a row of separators cannot grow without limit.
    ignore_last_delimiters: mostCells + 1,
    max_record_size: longestRecord,
  });
  async function* all() {
    try {
      yield* slicesOf(begin);
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield* slicesOf(piece.value);
    } finally {
      await pieces.return?.();
    }
  }
  // The callback ignores errors, since the loop below gets them.
  pipeline(Readable.from(all()), parser, () => {});
  for await (const record of parser as AsyncIterable<readonly string[] | Error>) {
    if (record instanceof Error) throw wordsFor(record);
    yield record.length > mostCells ? withoutRest(record) : record;
    const turn = nextTurn();
    if (turn) await turn;
  }
}

/** Passes an error on as the last record. If the stream failed instead, the records that wait in it would be lost. */
class RecordParser extends Parser {
  override _transform(bytes: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    super._transform(bytes, encoding, this.givingErrors(done));
  }

  override _flush(done: TransformCallback): void {
    super._flush(this.givingErrors(done));
  }

  private givingErrors(done: TransformCallback): TransformCallback {
    return (error) => {
      if (error) this.push(error);
      done();
    };
  }
}

function wordsFor(error: Error): Error {
  if (!(error instanceof CsvError)) return error;
  // `index` is the number of cells before the one that is too long.
  return error.index === mostCells ? tooManyCells() : new InvalidInput("El CSV no es válido");
}

/**
 * Drops the cells after the first `mostCells` if they are empty, since spreadsheets may write all their columns. The
 * parser has joined these cells into one: `record[mostCells]`.
 */
function withoutRest(record: readonly string[]): readonly string[] {
  if (/[^;,"\s]/.test(record[mostCells] ?? "")) throw tooManyCells();
  return record.slice(0, mostCells);
}

const tooManyCells = () => new InvalidInput(`Una fila del CSV tiene más de ${mostCells} celdas`);

/** Yields bytes instead of text, because a slice of text could end within a surrogate pair. */
async function* slicesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    yield bytes.subarray(at, at + sliceBytes);
    await nextTurn();
  }
}

/** Removes the records for which `stays` is false from a text that `csvLine` wrote. The other records do not change. */
export function recordsLeft(text: string, stays: (cells: readonly string[]) => boolean): string {
  const records = parseAtOnce(text, { relax_column_count: true, raw: true }) as unknown as RawRecord[];
  // `raw` may lack a part of the line's end, so the end is replaced.
  const lines = records.flatMap(({ record, raw }) => (stays(record) ? raw.replace(/\r?\n?$/, "\r\n") : []));
  return lines.join("");
}

interface RawRecord {
  readonly record: readonly string[];
  readonly raw: string;
}

/** Reads pieces until the header row is complete, and returns them as one text. */
async function beginning(pieces: AsyncIterator<string>): Promise<string> {
  let begin = "";
  let isBlank = true;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    begin += piece.value;
    // Only the new piece is searched: searching all of `begin` for each of thousands of tiny pieces would be slow.
    const text = isBlank ? piece.value.trimStart() : piece.value;
    if (text !== "") isBlank = false;
    if (/[\r\n]/.test(text)) return begin;
    if (begin.length > longestHeader) throw new InvalidInput("El CSV no tiene una fila de encabezados");
  }
  return begin;
}

/** A UTF-16 file, decoded as UTF-8 or Latin-1, begins with a byte order mark or has U+0000 beside each letter. */
const isUtf16 = (begin: string): boolean => /^(?:\u00ff\u00fe|\u00fe\u00ff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/.test(begin);

function separatorOf(begin: string): string {
  const [header = ""] = begin
    .replace(/^\ufeff/, "")
    .trimStart()
    .split(/[\r\n]/, 1);
  const bare = header.replaceAll(/"[^"]*"/g, "");
  const count = (sign: string) => bare.split(sign).length;
  if (count(";") === 1 && count(",") === 1 && count("\t") > 1) {
    throw new InvalidInput("El CSV está separado por tabuladores: las columnas se separan con comas o punto y coma");
  }
  return count(";") > count(",") ? ";" : ",";
}
