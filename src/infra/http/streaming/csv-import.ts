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
/** In bytes. */
const largestFile = 512 * 1024 * 1024;
const tellEveryMs = 1_000;

/** The header of the first column of the file with refused rows. */
export const reasonColumn = "motivo";

/** Settings of all routes that import a CSV file. */
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

/** Reasons to refuse a row of any import, as texts for the file with refused rows. */
export const rowComplaints = {
  too_many_cells: "la fila tiene más celdas que los encabezados",
  nameless_cell: "una celda no tiene encabezado",
  null_character: "una celda no es válida",
  too_many_rows: "hay demasiadas filas",
} as const;
type RowComplaint = keyof typeof rowComplaints;

/** The same reasons, except the limit of rows, as text for the API document. */
export const rowComplaintsRule =
  "a cell holds U+0000, or there are more cells than headers, or one below an empty header";

interface CsvImport<Row, Refusal> {
  /** The path of the files with refused rows. */
  readonly path: string;
  /** Returns a reader for rows below this header. Throws `InvalidInput` for an invalid header. */
  readerOf(header: readonly string[]): (cells: readonly string[]) => ImportRow<Row, Refusal>;
  refusalOf(complaint: RowComplaint): Refusal;
  /** Whether a header counts as empty. Blank headers always count as empty. */
  isNameless?(header: string): boolean;
  /** Imports the rows. Returns the name of the file with refused rows, or null if there are none. */
  execute(
    rows: AsyncIterable<ImportRow<Row, Refusal>>,
    /** Formats a refused row for the file. */
    lineOf: (reason: string, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null>;
  /** Called if an import fails after its answer has begun, except with `InvalidInput`. */
  onFailure(error: unknown): void;
}

/** Streams JSON lines: the counts every second, and at the end the result or the error. */
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
  // If the client has left, `told` never runs and handles no failure. An unhandled rejection would end the process.
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

/** Empty cells are ignored. */
function complaintAbout(cells: readonly string[], columns: number, nameless: readonly number[]): RowComplaint | null {
  if (cells.slice(columns).some((each) => each !== "")) return "too_many_cells";
  if (nameless.some((at) => (cells[at] ?? "") !== "")) return "nameless_cell";
  return cells.some((each) => each.includes("\0")) ? "null_character" : null;
}

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

/** The path parameter with the name of a file of refused rows. */
export const refusedFile = { type: "string", minLength: 1, maxLength: 100, example: "r_0123456789" } as const;
export const refusedAnswer = {
  description: "The rows, each after the reason",
  type: "text/csv",
  schema: text,
} as const;

/** The file with refused rows; null if it does not exist or has expired. */
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
