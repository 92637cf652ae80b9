import { csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { ifMatchOf } from "../../../infra/http/entity-tags.ts";
import { administration } from "../../../infra/http/routing/administration.ts";
import { doneBy, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { cursorField, cursorOf, positionIn } from "../../../infra/http/routing/cursors.ts";
import { type Call, defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { nullableText, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { ManageRecords } from "../../application/manage-records.ts";
import { type Actor, type Kept, mostUses } from "../../domain/records.ts";
import { administering, answers } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";
import { RowCodec } from "./record-rows.ts";

const usualPage = 50;
const longestSearch = 100;

export const etagHeader = { ETag: 'The version of the record: `"7"`' } as const;

export const actorOf = ({
  caller,
  ip,
}: Pick<Call<unknown, unknown, unknown, KeyCaller | UserCaller>, "caller" | "ip">): Actor => ({
  businessId: caller.businessId,
  ...doneBy(caller, ip),
});

/** Numbers the rules of one resource, those that all resources have among them. */
export function numbering(resource: string): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `Admin.${resource}.${last}`;
  };
}

type Given = Readonly<Record<string, unknown>>;

/** The requests that all resources have, spelled as this one is. */
export function recordRoutes<Fields extends object>(
  resource: RecordOnWire<Fields>,
  records: Pick<ManageRecords<Fields>, "list" | "all" | "one" | "create" | "change" | "remove">,
): Route[] {
  const { path, one, many, rules = [], matching, asksElsewhere } = resource;
  const codec = new WireCodec(resource);
  const meeting = administering((field) => codec.spelled(field));
  const rows = matching && new RowCodec(codec, matching);
  const params = objectWith({ id: numericIdOf(resource.entity) });
  const failures = { 400: answers.wrong, 500: answers.unexpected } as const;
  const elsewhere = asksElsewhere ? { 502: answers.away } : {};
  const codesElsewhere = asksElsewhere ? (["platform_unavailable", "wrong_field"] as const) : ([] as const);
  const found = { description: "The record", schema: codec.answer, headers: etagHeader } as const;
  const number = numbering(one);
  const replyOf = (status: number, record: Kept<Fields>) =>
    new Reply(status, codec.wireOf(record), { ETag: etagOf(record.version) });

  return [
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}`,
      operationId: `list${many}`,
      summary: `List ${many}`,
      rules: [
        [number(), "The latest made first. `next` is the cursor of the next page, or null. `q` is part of a name."],
        ...(rows ? [[number(), csvRule] as const] : []),
      ],
      query: {
        type: "object",
        properties: {
          q: { type: "string", minLength: 1, maxLength: longestSearch },
          cursor: cursorField,
          limit: { type: "integer", minimum: 1, maximum: 100, default: usualPage },
        },
      } as const,
      responses: {
        200: {
          description: "A page of records",
          schema: objectWith({ data: { type: "array", items: codec.answer }, next: nullableText }),
          ...(rows && { otherTypes: ["text/csv"] }),
        },
        ...failures,
      },
      dialect: meeting(),
      ...(rows && { lane: (_query, headers) => (wantsCsv(headers) ? "exports" : undefined) }),
      handle: async ({ query, caller, headers }) => {
        const { q: text = null, cursor, limit = usualPage } = query;
        if (rows && wantsCsv(headers)) {
          return csvReply(linesOf(rows, records.all(caller.businessId, text)), `${path}.csv`);
        }
        const [after = null] = cursor === undefined ? [] : positionIn(cursor, 1);
        const found = await records.list(caller.businessId, { text, after, limit });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        const body = { data: page.map((record) => codec.wireOf(record)), next: last ? cursorOf(last.id) : null };
        return rows ? jsonReply(body) : body;
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      lane: "records",
      path: `/admin/${path}`,
      operationId: `create${one}`,
      summary: `Make a record of ${many}`,
      rules: [
        [number(), "Fields that are not known, and those that are only read, are ignored."],
        [number(), "A value that each record may have only once, and that another one has, is a 409 `taken`."],
        [number(), "Every change stands in the audit: who, when, from where, the record before and after."],
        ...rules.map((rule) => [number(), rule] as const),
      ],
      // An answer that is kept to be repeated would keep the secret.
      ...(!resource.once && { idempotent: true }),
      body: codec.body,
      responses: { 201: { ...found, schema: codec.answerToCreation }, 409: answers.taken, ...elsewhere, ...failures },
      dialect: meeting("taken", "unknown_reference", "circle_closed", "rule_broken", ...codesElsewhere),
      handle: async (call) => replyOf(201, await records.create(actorOf(call), codec.fieldsOf(call.body as Given))),
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}/:id`,
      operationId: `get${one}`,
      summary: `Read one of ${many}`,
      rules: [[number(), "`ETag` is the record's version. A record of another business is one that does not exist."]],
      params,
      responses: { 200: found, 404: answers.notFound, ...failures },
      dialect: meeting("not_found"),
      handle: async ({ params, caller }) => replyOf(200, await records.one(caller.businessId, params.id)),
    }),
    defineRoute({
      ...administration,
      method: "put",
      lane: "records",
      path: `/admin/${path}/:id`,
      operationId: `change${one}`,
      summary: `Write one of ${many} whole`,
      rules: [
        [number(), "Writes the whole record: a field that is not given gets its value of a new record."],
        [
          number(),
          "`If-Match` with the record's `ETag` makes the change only if the record is still at that version: otherwise 412, " +
            "and nothing is changed. What changes nothing keeps its version.",
        ],
        ...rules.map((rule) => [number(), rule] as const),
      ],
      conditional: true,
      params,
      body: codec.body,
      responses: {
        200: found,
        404: answers.notFound,
        409: answers.takenOrInUse,
        412: answers.movedOn,
        ...elsewhere,
        ...failures,
      },
      dialect: meeting(
        "not_found",
        "moved_on",
        "taken",
        "in_use",
        "locked",
        "last_administrator",
        "unknown_reference",
        "circle_closed",
        "rule_broken",
        ...codesElsewhere,
      ),
      handle: async (call) => {
        const { params, body, headers } = call;
        const changed = await records.change(
          actorOf(call),
          params.id,
          codec.fieldsOf(body as Given),
          expectedIn(headers),
        );
        return replyOf(200, changed);
      },
    }),
    defineRoute({
      ...administration,
      method: "delete",
      lane: "records",
      path: `/admin/${path}/:id`,
      operationId: `remove${one}`,
      summary: `Remove one of ${many}`,
      rules: [
        [
          number(),
          "Users, articles, steps and templates are archived: they are not listed any more, and what names them stays as it " +
            "is. Anything else that is in use is a 409 `in_use`, which says by what and how often: " +
            `${mostUses} stands for as many and more. What is archived uses nothing.`,
        ],
      ],
      conditional: true,
      params,
      responses: {
        204: { description: "The record is gone" },
        404: answers.notFound,
        409: answers.inUse,
        412: answers.movedOn,
        ...failures,
      },
      dialect: meeting("not_found", "moved_on", "in_use", "last_administrator"),
      handle: async (call) => {
        await records.remove(actorOf(call), call.params.id, expectedIn(call.headers));
        return new Reply(204, undefined);
      },
    }),
  ];
}

const csvRule =
  "With `Accept: text/csv` all that match `q` come in one stream, without regard to `cursor` and `limit`. Texts that a " +
  "spreadsheet would take for a formula have an apostrophe before them. An import of the file changes nothing.";

async function* linesOf<Fields extends object>(rows: RowCodec<Fields>, pages: AsyncIterable<readonly Kept<Fields>[]>) {
  yield rows.header;
  for await (const page of pages) yield page.map((record) => rows.lineOf(record)).join("");
}

export const etagOf = (version: number): string => `"${version}"`;

/** Whether a version is one that `If-Match` names; every one where there is none. */
export function expectedIn(headers: Call<unknown, unknown, unknown, unknown>["headers"]): (version: number) => boolean {
  const tags = ifMatchOf(headers);
  return (version) => tags === null || tags === "any" || tags.includes(etagOf(version));
}
