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
import { mostCells } from "../../../infra/http/streaming/csv-records.ts";
import type { RefusedRows } from "../../../kernel/row-imports.ts";
import type { ImportContacts } from "../../application/contacts/import-contacts.ts";
import type { ImportedContact } from "../../application/contacts/ports.ts";
import { longestPhone, mostFields, RefusedRowsNotFound, shortestPhone } from "../../domain/contact.ts";
import { columnsIn, isNamelessField, type Refusal, reasons, rowOf } from "./contact-rows.ts";
import { forAdministratorsOnly, requireAdministrator } from "./contacts.routes.ts";
import { changing, common, failures, meeting } from "./inbox-dialect.ts";

/** @param onFailure - receives errors that interrupt an import after its answer has begun */
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
    summary: "Import contacts from a CSV file while it arrives",
    rules: {
      "Import.1":
        `UTF-8 or Latin-1, commas or semicolons, a header row, up to ${mostRows} rows of up to ${mostCells} cells. Columns: ` +
        "`numero` (required), `nombre`, `tags` (tag names separated by `|`), `opted_out` (true or false); all others are " +
        `custom fields, up to ${mostFields} per contact. The prefix \`campos.\` of a field's name is removed. Empty cells change nothing; \`id\` ` +
        "and `creado` of an export are ignored, and so is `motivo` in the first column. An apostrophe in front of a " +
        "formula is removed; `\\|` in a tag's name is not a separator.",
      "Import.2":
        "Contacts are matched by number. Fields and tags are added to the existing ones; a row that changes nothing writes " +
        "nothing. Rows with the same number are applied in order, and each is counted.",
      "Import.3":
        "A refused row does not affect the others. Reasons: the number is missing, in scientific notation " +
        `(\`5.917E+10\`), or new and not of ${shortestPhone} to ${longestPhone} digits; a tag is unknown; a text is too ` +
        `long; ${rowComplaintsRule}. \`refused_csv\` is the address of these rows with their reasons, for 24 hours and ` +
        "for administrators and App Keys of this business; null if there are none.",
      "Import.4":
        "Lines of JSON: the counts so far every second, at last with `refused_csv`. An import that is interrupted ends with " +
        "a line of `error`, `code` and the counts so far, and keeps the imported rows; sending the file again completes it.",
      "Import.5": "Emits no events for contacts. Each business runs one import at a time; others wait.",
      "Import.6":
        "A number whose contact was erased is opted out even if its row says `false`. Only for administrators and App Keys (403).",
    },
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
    summary: "Read the rows that an import refused, with their reasons",
    rules: { "Import.7": "As CSV, for 24 hours. If there are very many, only the first 12 MB." },
    params: objectWith({ file: refusedFile }),
    responses: {
      200: refusedAnswer,
      403: forAdministratorsOnly,
      404: { description: "The file does not exist or has expired", schema: codedFailure },
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
