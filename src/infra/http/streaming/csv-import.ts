import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type ImportProgress, type ImportRow, noProgress, type RefusedRows } from "../../../kernel/row-imports.ts";
import { storableText } from "../../../kernel/text.ts";
import { csvLine, unguarded } from "../csv.ts";
import { coded, codedDialect, InvalidInput } from "../routing/dialect.ts";
import { Reply } from "../routing/route.ts";
import { integer, nullableText, objectWith, text } from "../routing/schema.ts";
import { csvRecords } from "./csv-records.ts";

export const mostRows = 500_000;
/** Bytes. */
const largestFile = 512 * 1024 * 1024;
const tellEveryMs = 1_000;

/** The first column of a file of refused rows. */
export const reasonColumn = "motivo";

/** What every route has in common that takes in a CSV file while it arrives. */
export const importing = { body: "csv", bodyLimit: largestFile, lane: "imports", cost: 10 } as const;

export const importAnswer = {
  description: "What became of the rows",
  type: "application/x-ndjson",
  schema: objectWith({
    created: integer,
    updated: integer,
    unchanged: integer,
    refused: integer,
    refused_csv: nullableText,
  }),
} as const;

/** Why a row of any file is refused before it is read, in the words of the file that tells it. */
export const rowComplaints = {
  too_many_cells: "la fila tiene más celdas que los encabezados",
  nameless_cell: "una celda no tiene encabezado",
  null_character: "una celda no es válida",
  too_many_rows: "hay demasiadas filas",
} as const;
export type RowComplaint = keyof typeof rowComplaints;

/** The same, for the documents of routes. */
export const rowComplaintsRule =
  "a cell holds U+0000, or there are more cells than headers, or one below an empty header";

export interface CsvImport<Row, Refusal> {
  /** Under which files with refused rows are found. */
  readonly path: string;
  /** Reads rows below this header. Throws `InvalidInput` for a header that is none. */
  readerOf(header: readonly string[]): (cells: readonly string[]) => ImportRow<Row, Refusal>;
  refusalOf(complaint: RowComplaint): Refusal;
  /** Whether a header names no column; one of blanks alone never does. */
  isNameless?(header: string): boolean;
  /** The name of the file with refused rows, once all is taken in; null where there are none. */
  execute(
    rows: AsyncIterable<ImportRow<Row, Refusal>>,
    /** A refused row as it is kept. */
    lineOf: (reason: string, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null>;
  /** Hears of what broke an import off after its answer had begun. */
  onFailure(error: unknown): void;
}

/** Lines of JSON: how far it is, every so often, and at last what became of all rows. */
export async function importReply<Row, Refusal>(
  body: AsyncIterable<string>,
  spec: CsvImport<Row, Refusal>,
): Promise<Reply> {
  const records = csvRecords(body);
  const { value: first = [] } = await records.next();
  const header = first.map((cell: string) => storableText(unguarded(cell)));
  const rows = rowsOf(records, spec.readerOf(header), header, spec);
  const progress = noProgress();
  const lineOf = (reason: string, cells: readonly string[]) => csvLine([reason, ...cells].map(storableText));
  const done = spec.execute(rows, lineOf, csvLine([reasonColumn, ...header]), progress);
  // The answer hears of a failure once it is read; a client that is gone by then never reads it.
  done.catch(() => {});
  return new Reply(200, Readable.from(told(progress, done, spec)), {}, importAnswer.type);
}

async function* rowsOf<Row, Refusal>(
  records: AsyncIterable<readonly string[]>,
  read: (cells: readonly string[]) => ImportRow<Row, Refusal>,
  header: readonly string[],
  { refusalOf, isNameless = () => false }: Pick<CsvImport<Row, Refusal>, "refusalOf" | "isNameless">,
): AsyncGenerator<ImportRow<Row, Refusal>> {
  const nameless = [...header.entries()].flatMap(([at, name]) => (name.trim() === "" || isNameless(name) ? at : []));
  let count = 0;
  for await (const record of records) {
    const cells = record.map(unguarded);
    count += 1;
    const complaint = count > mostRows ? "too_many_rows" : complaintAbout(cells, header.length, nameless);
    yield complaint === null ? read(cells) : { refusal: refusalOf(complaint), cells };
  }
}

/** Empty cells say nothing, wherever they stand. */
function complaintAbout(cells: readonly string[], columns: number, nameless: readonly number[]): RowComplaint | null {
  if (cells.slice(columns).some((each) => each !== "")) return "too_many_cells";
  if (nameless.some((at) => (cells[at] ?? "") !== "")) return "nameless_cell";
  return cells.some((each) => each.includes("\0")) ? "null_character" : null;
}

/** The counts every so often until all is done, and then at last. */
async function* told(
  progress: object,
  done: Promise<string | null>,
  { path, onFailure }: Pick<CsvImport<never, never>, "path" | "onFailure">,
): AsyncGenerator<string> {
  let last: object | undefined;
  const ended = done.then(
    (file) => {
      last = { ...progress, refused_csv: file && `${path}/${file}` };
    },
    (error: unknown) => {
      if (!(error instanceof InvalidInput)) onFailure(error);
      const words = error instanceof InvalidInput ? coded(error.code, error.message) : codedDialect.unexpected()[1];
      last = { ...words, ...progress };
    },
  );
  while (last === undefined) {
    const over = new AbortController();
    await Promise.race([ended, sleep(tellEveryMs, undefined, { signal: over.signal, ref: false }).catch(() => {})]);
    over.abort();
    if (last === undefined) yield `${JSON.stringify(progress)}\n`;
  }
  yield `${JSON.stringify(last)}\n`;
}

/** The name of a file of refused rows, in a path. */
export const refusedFile = { type: "string", minLength: 1, maxLength: 100, example: "r_0123456789" } as const;
export const refusedAnswer = {
  description: "The rows, each after the reason",
  type: "text/csv",
  schema: text,
} as const;

/** The rows that an import refused, part by part; null where there is no such file, or its time is over. */
export async function refusedReply(
  refused: Pick<RefusedRows, "part">,
  businessId: number,
  file: string,
): Promise<Reply | null> {
  const first = await refused.part(businessId, file, 0);
  if (first === null) return null;
  async function* parts() {
    let content: string | null = first;
    for (let part = 1; content !== null; part += 1) {
      yield content;
      content = await refused.part(businessId, file, part);
    }
  }
  const headers = { "Content-Disposition": 'attachment; filename="rechazados.csv"' };
  return new Reply(200, Readable.from(parts()), headers, refusedAnswer.type);
}
