import { administration } from "../../../infra/http/routing/administration.ts";
import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
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
  rowComplaints,
  rowComplaintsRule,
} from "../../../infra/http/streaming/csv-import.ts";
import { mostCells } from "../../../infra/http/streaming/csv-records.ts";
import type { DomainError } from "../../../kernel/errors.ts";
import type { RefusedRows } from "../../../kernel/row-imports.ts";
import type { ImportRecords, RowRefusal } from "../../application/import-records.ts";
import { type Matching, RecordNotFound, type RowInput, RuleBroken } from "../../domain/records.ts";
import { failures } from "./administration-dialect.ts";
import type { RecordOnWire } from "./record-on-wire.ts";
import { RowCodec } from "./record-rows.ts";
import { actorOf, partsOf } from "./records.routes.ts";

/** What the import routes need besides the resource. */
interface RecordFiles<Fields extends object> {
  readonly imports: Pick<ImportRecords<Fields>, "execute">;
  readonly refused: Pick<RefusedRows, "part">;
  /** Called with the error that ended an import after its answer had begun. */
  onFailure(error: unknown): void;
}

const fileDialect = {
  ...codedDialect,
  not_found: () => [404, coded("file_not_found", "El archivo no existe")],
} as const satisfies typeof codedDialect & Dialect<RecordNotFound>;

/** The two routes of imports: one takes a CSV file, the other returns the refused rows. */
export function importRoutes<Fields extends object>(
  resource: RecordOnWire<Fields> & { readonly matching: Matching<Fields> },
  { imports, refused, onFailure }: RecordFiles<Fields>,
): Route[] {
  const { path, one, many, matching } = resource;
  const { codec, dialectFor } = partsOf(resource);
  const rows = new RowCodec(codec, matching);
  const dialect = dialectFor(
    "taken",
    "unknown_reference",
    "cyclic_reference",
    "locked",
    "last_administrator",
    "wrong_field",
    "rule_broken",
  );
  const words = dialect as unknown as Readonly<
    Record<string, (error: DomainError) => readonly [number, { error: string }]>
  >;
  const reasonOf = (refusal: RowRefusal) => (words[refusal.code] ?? dialect.unexpected)(refusal)[1].error;
  const wireNames = (fields: readonly string[]) => fields.map((field) => `\`${codec.wireName(field)}\``).join(" and ");
  const orElse = matching.orElseBy ? `; where that is empty, by ${wireNames(matching.orElseBy)}` : "";
  return [
    defineRoute({
      ...administration,
      ...importing,
      method: "post",
      path: `/admin/${path}/import`,
      operationId: `import${many}`,
      summary: `Import ${many} from a CSV file`,
      rules: {
        [`Import.${one}.1`]:
          `UTF-8 or Latin-1, commas or semicolons, a header row, up to ${mostRows} rows of up to ${mostCells} cells. ` +
          `Rows are matched by ${wireNames(matching.by)}${orElse}; if several records match, the \`id\` column of an export decides. ` +
          "Other columns are ignored. An empty cell leaves the record's value as it is, and gives a new record the field's " +
          "default. Several ids in one cell are separated by `|`.",
        [`Import.${one}.2`]:
          `Each row is accepted or refused on its own. It is refused if a field is missing or wrong, ${rowComplaintsRule}. ` +
          "`refused_csv` is the path of a CSV file with the refused rows and their reasons, which administrators of the " +
          "business can read for 24 hours; it is null if no row was refused. A row that changes nothing writes nothing.",
        [`Import.${one}.3`]:
          "The answer is a stream of JSON lines: the counts so far every second, and in the last line also `refused_csv`. An " +
          "import that fails ends with a line `{ error, code }`; the rows before stay imported, and sending the file again " +
          "imports the rest. A business's imports run one at a time; others wait.",
      },
      responses: { 200: importAnswer, ...failures },
      dialect: codedDialect,
      handle: (call) =>
        importReply<RowInput<Fields>, RowRefusal>(call.body, {
          path: `/admin/${path}/imports`,
          readerOf: (header) => rows.readerOf(header),
          refusalOf: (complaint) => new RuleBroken(rowComplaints[complaint]),
          execute: (input, lineOf, header, progress) =>
            imports.execute(
              actorOf(call),
              input,
              (fields, existing) => codec.merged(fields, existing),
              (refusal, cells) => lineOf(reasonOf(refusal), cells),
              header,
              progress,
            ),
          onFailure,
        }),
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}/imports/:file`,
      operationId: `getRefused${many}`,
      summary: "The rows that an import refused, with their reasons",
      rules: {
        [`Import.${one}.4`]: "CSV, available for 24 hours. Only the first 12 MB or so of refused rows are kept.",
      },
      params: objectWith({ file: refusedFile }),
      responses: {
        200: refusedAnswer,
        404: { description: "There is no such file, or it has expired", schema: codedFailure },
        ...failures,
      },
      dialect: fileDialect,
      lane: "exports",
      handle: async ({ params: { file }, caller }) => {
        const reply = await refusedReply(refused, caller.businessId, file);
        if (!reply) throw new RecordNotFound(file);
        return reply;
      },
    }),
  ];
}
