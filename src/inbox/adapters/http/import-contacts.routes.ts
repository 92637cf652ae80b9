import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, objectWith } from "../../../infra/http/routing/schema.ts";
import {
  importAnswer,
  importing,
  importReply,
  mostRows,
  refusedAnswer,
  refusedFile,
  refusedReply,
  rowComplaintsRule,
} from "../../../infra/http/streaming/csv-import.ts";
import type { RefusedRows } from "../../../kernel/row-imports.ts";
import type { ImportContacts } from "../../application/contacts/import-contacts.ts";
import type { ImportedContact } from "../../application/contacts/ports.ts";
import { longestPhone, mostFields, RefusedRowsNotFound, shortestPhone } from "../../domain/contact.ts";
import { columnsIn, isNamelessField, type Refusal, reasons, rowOf } from "./contact-rows.ts";
import { forAdministratorsOnly, requireAdministrator } from "./contacts.routes.ts";
import { changing, common, failures, meeting } from "./inbox-dialect.ts";

/** @param onFailure - hears of what broke an import off after its answer had begun */
export const importContactsRoutes = (
  imports: Pick<ImportContacts, "execute">,
  refused: Pick<RefusedRows, "part">,
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
          `scientific notation (\`5.917E+10\`), ${rowComplaintsRule}. ` +
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
    ...importing,
    responses: {
      200: importAnswer,
      403: forAdministratorsOnly,
      ...failures,
    },
    dialect: meeting("forbidden"),
    handle: async ({ body, caller }) => {
      requireAdministrator(caller);
      return importReply<ImportedContact, Refusal>(body, {
        path: "/contacts/imports",
        readerOf: (header) => {
          const columns = columnsIn(header);
          return (cells) => rowOf(cells, columns);
        },
        refusalOf: (complaint) => complaint,
        isNameless: isNamelessField,
        execute: (rows, lineOf, header, progress) =>
          imports.execute<Refusal>(
            caller.businessId,
            rows,
            (refusal, cells) => lineOf(reasons[refusal], cells),
            header,
            progress,
          ),
        onFailure,
      });
    },
  });

const refusedRoute = (refused: Pick<RefusedRows, "part">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts/imports/:file",
    operationId: "getRefusedContacts",
    summary: "The rows that an import refused, with their reasons",
    rules: [["Import.7", "As CSV, for 24 hours. Of very many rows the first ones: about 12 MB."]],
    params: objectWith({ file: refusedFile }),
    responses: {
      200: refusedAnswer,
      403: forAdministratorsOnly,
      404: { description: "No such file, or its time is over", schema: codedFailure },
      ...failures,
    },
    dialect: meeting("forbidden", "file_not_found"),
    lane: "exports",
    handle: async ({ params: { file }, caller }) => {
      requireAdministrator(caller);
      const reply = await refusedReply(refused, caller.businessId, file);
      if (!reply) throw new RefusedRowsNotFound(file);
      return reply;
    },
  });
