import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { csvLine, unguarded } from "../../../infra/http/csv.ts";
import { coded, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, integer, nullableText, objectWith, text } from "../../../infra/http/routing/schema.ts";
import { csvRecords } from "../../../infra/http/streaming/csv-records.ts";
import { type ImportContacts, type ImportRow, noProgress } from "../../application/contacts/import-contacts.ts";
import type { RefusedRows } from "../../application/contacts/ports.ts";
import { longestPhone, mostFields, RefusedRowsNotFound, shortestPhone } from "../../domain/contact.ts";
import { columnsIn, type Refusal, reasons, rowOf } from "./contact-rows.ts";
import { forAdministratorsOnly, requireAdministrator } from "./contacts.routes.ts";
import { changing, common, failures, meeting } from "./inbox-dialect.ts";

const mostRows = 500_000;
/** Bytes. */
const largestFile = 512 * 1024 * 1024;
const tellEveryMs = 1_000;

/** @param onFailure - hears of what broke an import off after its answer had begun */
export const importContactsRoutes = (
  imports: Pick<ImportContacts, "execute">,
  refused: RefusedRows,
  onFailure: (error: unknown) => void,
): Route[] => [importRoute(imports, onFailure), refusedRoute(refused)];

const importRoute = (imports: Pick<ImportContacts, "execute">, onFailure: (error: unknown) => void): Route =>
  defineRoute({
    ...changing,
    method: "post",
    path: "/contacts/import",
    operationId: "importContacts",
    summary: "Take in contacts from a CSV file while it arrives",
    rules: [
      [
        "Import.1",
        `UTF-8 or Latin-1, commas or semicolons, a header row, up to ${mostRows} rows. Columns: \`numero\` (required), ` +
          "`nombre`, `tags` (names of tags, with `|` between them), `opted_out` (true or false); others are custom " +
          `fields, ${mostFields} of a contact at most; \`campos.\` before the name of one is left out. An empty cell says ` +
          "nothing, and `id` and `creado` of an export are left alone, as is `motivo` in the first column. An apostrophe " +
          "before what would be a formula is left out, and `\\|` in a tag's name is no separator.",
      ],
      [
        "Import.2",
        "Contacts are matched by number. Fields and tags are added to those that a contact has; a row that changes nothing " +
          "writes nothing. Rows with one number are taken in one after the other, each counted for itself.",
      ],
      [
        "Import.3",
        "A row that is refused refuses no other: a number is missing, or new and not " +
          `of ${shortestPhone} to ${longestPhone} digits, a tag is not known, a text is too long, the number is in ` +
          "scientific notation (`5.917E+10`), a cell holds U+0000, or there are more cells than headers, or one below " +
          "an empty header. " +
          "`refused_csv` is where such rows are found with their reasons for 24 hours, by an administrator or App Key of " +
          "this business; null where there are none.",
      ],
      [
        "Import.4",
        "Lines of JSON: the counts so far every second, and at last with `refused_csv`. An import that breaks off ends " +
          "with a line of `error`, `code` and the counts so far, and keeps what was taken in; sent again, it goes on from there.",
      ],
      ["Import.5", "Emits no event for each contact. One import of a business runs at a time; others wait."],
      [
        "Import.6",
        "A number whose contact was erased is opted out, also where its row says `false`. Only for administrators and App Keys (403).",
      ],
    ],
    body: "csv",
    bodyLimit: largestFile,
    lane: "imports",
    cost: 10,
    responses: {
      200: {
        description: "What became of the rows",
        type: "application/x-ndjson",
        schema: objectWith({
          created: integer,
          updated: integer,
          unchanged: integer,
          refused: integer,
          refused_csv: nullableText,
        }),
      },
      403: forAdministratorsOnly,
      ...failures,
    },
    dialect: meeting("forbidden"),
    handle: async ({ body, caller }) => {
      requireAdministrator(caller);
      const records = csvRecords(body);
      const { value: first = [] } = await records.next();
      const header = first.map(unguarded);
      const rows = rowsOf(records, columnsIn(header));
      const progress = noProgress();
      const lineOf = (reason: keyof typeof reasons, cells: readonly string[]) => csvLine([reasons[reason], ...cells]);
      const done = imports.execute<Refusal>(caller.businessId, rows, lineOf, csvLine(["motivo", ...header]), progress);
      return new Reply(200, Readable.from(told(progress, done, onFailure)), {}, "application/x-ndjson");
    },
  });

async function* rowsOf(
  records: AsyncIterable<readonly string[]>,
  columns: ReturnType<typeof columnsIn>,
): AsyncGenerator<ImportRow<Refusal>> {
  let count = 0;
  for await (const record of records) {
    const cells = record.map(unguarded);
    count += 1;
    yield count > mostRows ? { refusal: "too_many_rows", cells } : rowOf(cells, columns);
  }
}

/** The counts every so often until all is done, and then at last. */
async function* told(
  progress: object,
  done: Promise<string | null>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<string> {
  let last: object | undefined;
  const ended = done.then(
    (file) => {
      last = { ...progress, refused_csv: file && `/contacts/imports/${file}` };
    },
    (error: unknown) => {
      if (!(error instanceof InvalidInput)) onFailure(error);
      const words = error instanceof InvalidInput ? coded(error.code, error.message) : meeting().unexpected()[1];
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

const refusedRoute = (refused: RefusedRows): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts/imports/:file",
    operationId: "getRefusedContacts",
    summary: "The rows that an import refused, with their reasons",
    rules: [["Import.7", "As CSV, for 24 hours. Of very many rows the first ones: about 12 MB."]],
    params: objectWith({ file: { type: "string", minLength: 1, maxLength: 100, example: "r_0123456789" } }),
    responses: {
      200: { description: "The rows, each after the reason", type: "text/csv", schema: text },
      403: forAdministratorsOnly,
      404: { description: "No such file, or its time is over", schema: codedFailure },
      ...failures,
    },
    dialect: meeting("forbidden", "file_not_found"),
    lane: "exports",
    handle: async ({ params: { file }, caller }) => {
      requireAdministrator(caller);
      const { businessId } = caller;
      const first = await refused.part(businessId, file, 0);
      if (first === null) throw new RefusedRowsNotFound(file);
      async function* parts() {
        let content: string | null = first;
        for (let part = 1; content !== null; part += 1) {
          yield content;
          content = await refused.part(businessId, file, part);
        }
      }
      const headers = { "Content-Disposition": 'attachment; filename="rechazados.csv"' };
      return new Reply(200, Readable.from(parts()), headers, "text/csv");
    },
  });
