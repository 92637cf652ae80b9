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
import type { DomainError } from "../../../kernel/errors.ts";
import type { RefusedRows } from "../../../kernel/row-imports.ts";
import type { ImportRecords, RowRefusal } from "../../application/import-records.ts";
import { type Matching, RecordNotFound, type RowInput, RuleBroken } from "../../domain/records.ts";
import { administrationDialect, answers } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";
import { RowCodec } from "./record-rows.ts";
import { actorOf } from "./records.routes.ts";

/** What a resource with files needs beside its records. */
export interface RecordFiles<Fields extends object> {
  readonly imports: Pick<ImportRecords<Fields>, "execute">;
  readonly refused: Pick<RefusedRows, "part">;
  /** Hears of what broke an import off after its answer had begun. */
  onFailure(error: unknown): void;
}

const fileDialect = {
  ...codedDialect,
  not_found: () => [404, coded("file_not_found", "El archivo no existe")],
} as const satisfies typeof codedDialect & Dialect<RecordNotFound>;

const failures = { 400: answers.wrong, 500: answers.unexpected } as const;

/** Records of one resource come in from files, and the rows that were refused go out. */
export function importRoutes<Fields extends object>(
  resource: RecordOnWire<Fields> & { readonly matching: Matching<Fields> },
  { imports, refused, onFailure }: RecordFiles<Fields>,
): Route[] {
  const { path, one, many, matching } = resource;
  const codec = new WireCodec(resource);
  const rows = new RowCodec(codec, matching);
  const dialect = administrationDialect((field) => codec.wireName(field))(
    "taken",
    "unknown_reference",
    "circle_closed",
    "locked",
    "last_administrator",
    "wrong_field",
    "rule_broken",
  );
  const words = dialect as unknown as Readonly<
    Record<string, (error: DomainError) => readonly [number, { error: string }]>
  >;
  const reasonOf = (refusal: RowRefusal) => (words[refusal.code] ?? dialect.unexpected)(refusal)[1].error;
  const spelled = (fields: readonly string[]) => fields.map((field) => `\`${codec.wireName(field)}\``).join(" and ");
  const orElse = matching.orElseBy ? `; where that is empty, by ${spelled(matching.orElseBy)}` : "";
  return [
    defineRoute({
      ...administration,
      ...importing,
      method: "post",
      path: `/admin/${path}/import`,
      operationId: `import${many}`,
      summary: `Take in ${many} from a CSV file while it arrives`,
      rules: [
        [
          `Import.${one}.1`,
          `UTF-8 or Latin-1, commas or semicolons, a header row, up to ${mostRows} rows. Rows are matched by ` +
            `${spelled(matching.by)}${orElse}; of records that are matched alike, the \`id\` of an export says which. ` +
            "Other columns are ignored. An empty cell says nothing: the record keeps what it has, and a new one gets the value " +
            "that it has without the field. Several ids in a cell have `|` between them.",
        ],
        [
          `Import.${one}.2`,
          `A row that is refused refuses no other: a field is missing or wrong, ${rowComplaintsRule}. ` +
            "`refused_csv` is where such rows are found with their reasons for 24 hours, " +
            "by administrators of this business; null where there are none. A row that changes nothing writes nothing.",
        ],
        [
          `Import.${one}.3`,
          "Lines of JSON: the counts so far every second, and at last with `refused_csv`. An import that breaks off ends " +
            "with a line `{ error, code }` and keeps what was taken in; sent again, it goes on from there. One import of a " +
            "business runs at a time; others wait.",
        ],
      ],
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
      rules: [[`Import.${one}.4`, "As CSV, for 24 hours. Of very many rows the first ones: about 12 MB."]],
      params: objectWith({ file: refusedFile }),
      responses: {
        200: refusedAnswer,
        404: { description: "No such file, or its time is over", schema: codedFailure },
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
