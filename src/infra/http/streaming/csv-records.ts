import { pipeline, Readable } from "node:stream";
import { parse } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { InvalidInput } from "../routing/dialect.ts";

/** Limits in characters. */
const longestHeader = 64 * 1024;
const longestRecord = 256 * 1024;

/** Parses a CSV file with commas or semicolons. Yields the header, then the rows. Throws `InvalidInput`. */
export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const pieces = text[Symbol.asyncIterator]();
  const begin = await beginning(pieces);
  if (isUtf16(begin)) throw new InvalidInput("El CSV está en UTF-16: debe estar en UTF-8 o Latin-1");
  const parser = parse({
    delimiter: separatorOf(begin),
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: longestRecord,
  });
  async function* all() {
    try {
      yield begin;
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
    } finally {
      await pieces.return?.();
    }
  }
  // Errors reach the loop below.
  pipeline(Readable.from(all()), parser, () => {});
  try {
    for await (const record of parser) yield record as readonly string[];
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith("CSV_")) throw new InvalidInput("El CSV no es válido");
    throw error;
  }
}

/** Removes the records for which `stays` is false from a text that `csvLine` wrote. The other records do not change. */
export function recordsLeft(text: string, stays: (cells: readonly string[]) => boolean): string {
  const records = parseAtOnce(text, { relax_column_count: true, raw: true }) as unknown as RawRecord[];
  // `raw` may lack a part of the line's end.
  const lines = records.flatMap(({ record, raw }) => (stays(record) ? raw.replace(/\r?\n?$/, "\r\n") : []));
  return lines.join("");
}

interface RawRecord {
  readonly record: readonly string[];
  readonly raw: string;
}

/** Reads until the header row is complete. */
async function beginning(pieces: AsyncIterator<string>): Promise<string> {
  let begin = "";
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    begin += piece.value;
    if (/[\r\n]/.test(begin.trimStart())) return begin;
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
