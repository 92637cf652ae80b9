import { csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { ifMatchOf } from "../../../infra/http/entity-tags.ts";
import { administration } from "../../../infra/http/routing/administration.ts";
import { doneBy, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { limitOf, pageAnswer, pagedQuery, positionIn } from "../../../infra/http/routing/cursors.ts";
import { type Call, defineRoute, Reply, type Route, type Rules } from "../../../infra/http/routing/route.ts";
import { nullableText, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { Expected, ManageRecords } from "../../application/manage-records.ts";
import { type Actor, mostUses, type StoredRecord } from "../../domain/records.ts";
import { administrationDialect, answers, failures } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";
import { RowCodec } from "./record-rows.ts";

const usualPage = 50;
const longestSearch = 100;

export const actorOf = ({
  caller,
  ip,
}: Pick<Call<unknown, unknown, unknown, KeyCaller | UserCaller>, "caller" | "ip">): Actor => ({
  businessId: caller.businessId,
  ...doneBy(caller, ip),
});

/** Numbers the rules of one resource. The common rules and the resource's own rules share one sequence. */
export function numbering(resource: string): (...rules: readonly string[]) => Rules {
  let last = 0;
  return (...rules) => Object.fromEntries(rules.map((rule) => [`Admin.${resource}.${++last}`, rule]));
}

/** What the routes about the records of one resource have in common. */
export function partsOf<Fields extends object>(resource: RecordOnWire<Fields>) {
  const codec = new WireCodec(resource);
  const { verifiedByPlatform, takenMessage } = resource;
  return {
    codec,
    dialectFor: administrationDialect((field) => codec.wireName(field), takenMessage),
    found: {
      description: "The record",
      schema: codec.answer,
      headers: { ETag: 'The version of the record: `"7"`' },
    } as const,
    elsewhere: verifiedByPlatform ? { 502: answers.away } : {},
    codesElsewhere: verifiedByPlatform ? (["platform_unavailable", "wrong_field"] as const) : ([] as const),
    replyOf: (record: StoredRecord<Fields>, status = 200) =>
      new Reply(status, codec.toWire(record), { ETag: `"${record.version}"` }),
  };
}

type RecordBody = Readonly<Record<string, unknown>>;

export function recordRoutes<Fields extends object>(
  resource: RecordOnWire<Fields>,
  records: Pick<ManageRecords<Fields>, "list" | "all" | "one" | "create" | "change" | "remove">,
): Route[] {
  const { path, one, many, rules = [], matching } = resource;
  const { codec, dialectFor, found, elsewhere, codesElsewhere, replyOf } = partsOf(resource);
  const rows = matching && new RowCodec(codec, matching);
  const params = objectWith({ id: numericIdOf(resource.entity) });
  const numbered = numbering(one);
  const filters = Object.keys(codec.filters).map((name) => `\`${name}\``);
  const filterWords = filters.length > 0 ? ` ${filters.join(" and ")} filter by the exact value of the field.` : "";
  const kept = codec.kept.map((name) => `\`${name}\``).join(" and ");
  const keptWords = kept === "" ? "" : `. The exception is ${kept}: without it the stored value stays`;

  return [
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}`,
      operationId: `list${many}`,
      summary: `List ${many}`,
      rules: numbered(
        "Newest first. `next` is the cursor of the next page, or null. `q` is a text that the name, or another field of those " +
          `that are searched, must contain; accents and capitals make no difference.${filterWords}`,
        ...(rows ? [csvRule] : []),
      ),
      query: pagedQuery(usualPage, {
        ...(codec.filters as object),
        q: { type: "string", minLength: 1, maxLength: longestSearch },
      }),
      responses: {
        200: {
          description: "A page of records",
          schema: objectWith({ data: { type: "array", items: codec.answer }, next: nullableText }),
          ...(rows && { otherTypes: ["text/csv"] }),
        },
        ...failures,
      },
      dialect: dialectFor(),
      ...(rows && { lane: (_query, headers) => (wantsCsv(headers) ? "exports" : undefined) }),
      handle: async ({ query, caller, headers }) => {
        const { q: text = null, cursor } = query;
        const limit = limitOf(query.limit ?? usualPage);
        const asked = { text, having: codec.filtersIn(query) };
        if (rows && wantsCsv(headers)) {
          return csvReply(linesOf(rows, records.all(caller.businessId, asked)), `${path}.csv`);
        }
        const [after = null] = cursor === undefined ? [] : positionIn(cursor, 1);
        const found = await records.list(caller.businessId, { ...asked, after, limit });
        const body = pageAnswer(found, limit, (record) => codec.toWire(record));
        return rows ? jsonReply(body) : body;
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      lane: "records",
      path: `/admin/${path}`,
      operationId: `create${one}`,
      summary: `Create one of ${many}`,
      rules: numbered(
        "Unknown fields and read-only fields are ignored.",
        "If another record already has the same value in a unique field, the answer is 409 `taken`.",
        "Every change is recorded in the audit: who made it, when and from which address, and the record before and after.",
        ...rules,
      ),
      // With an idempotency key the answer would be stored. So operations that answer with a secret take no key.
      ...(!resource.shownOnce && { idempotent: true }),
      body: codec.body,
      responses: {
        201: { ...found, schema: codec.answerToCreation },
        409: answers.duplicate,
        ...elsewhere,
        ...failures,
      },
      dialect: dialectFor("taken", "unknown_reference", "cyclic_reference", "rule_broken", ...codesElsewhere),
      handle: async (call) =>
        replyOf(await records.create(actorOf(call), codec.fieldsOf(call.body as RecordBody)), 201),
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}/:id`,
      operationId: `get${one}`,
      summary: `Read one of ${many}`,
      rules: numbered(
        "`ETag` is the record's version. A record of another business is answered as one that does not exist.",
      ),
      params,
      responses: { 200: found, 404: answers.notFound, ...failures },
      dialect: dialectFor("not_found"),
      handle: async ({ params, caller }) => replyOf(await records.one(caller.businessId, params.id)),
    }),
    defineRoute({
      ...administration,
      method: "put",
      lane: "records",
      path: `/admin/${path}/:id`,
      operationId: `change${one}`,
      summary: `Replace one of ${many}`,
      rules: numbered(
        `Replaces the whole record: a field that is left out gets the default that it has in a new record${keptWords}.`,
        "With `If-Match` the record changes only if it still has the version of that `ETag`; otherwise the answer is 412. A " +
          "request that changes nothing leaves the version as it is.",
        ...rules,
      ),
      conditional: true,
      params,
      body: codec.body,
      responses: {
        200: found,
        404: answers.notFound,
        409: answers.duplicateOrInUse,
        412: answers.movedOn,
        ...elsewhere,
        ...failures,
      },
      dialect: dialectFor(
        "not_found",
        "moved_on",
        "taken",
        "in_use",
        "locked",
        "last_administrator",
        "unknown_reference",
        "cyclic_reference",
        "rule_broken",
        ...codesElsewhere,
      ),
      handle: async (call) => {
        const fields = codec.fieldsOf(call.body as RecordBody, true);
        return replyOf(await records.change(actorOf(call), call.params.id, fields, expectedIn(call.headers)));
      },
    }),
    defineRoute({
      ...administration,
      method: "delete",
      lane: "records",
      path: `/admin/${path}/:id`,
      operationId: `remove${one}`,
      summary: `Remove one of ${many}`,
      rules: numbered(
        "Users, articles, steps and templates are archived: they are no longer listed, and records that refer to them stay " +
          "as they are. Any other record that is in use is not removed: 409 `in_use` with what uses it and how often " +
          `(${mostUses} means that many or more). Archived records do not count as users of a record.`,
      ),
      conditional: true,
      params,
      responses: {
        204: { description: "The record is gone" },
        404: answers.notFound,
        409: answers.inUse,
        412: answers.movedOn,
        ...failures,
      },
      dialect: dialectFor("not_found", "moved_on", "in_use", "last_administrator"),
      handle: async (call) => {
        await records.remove(actorOf(call), call.params.id, expectedIn(call.headers));
        return new Reply(204, undefined);
      },
    }),
  ];
}

const csvRule =
  "With `Accept: text/csv` the answer is one CSV file of all records that match; `cursor` and `limit` are ignored. " +
  "Texts that a spreadsheet would run as a formula begin with an apostrophe. Importing the file again changes nothing.";

async function* linesOf<Fields extends object>(
  rows: RowCodec<Fields>,
  pages: AsyncIterable<readonly StoredRecord<Fields>[]>,
) {
  yield rows.header;
  for await (const page of pages) yield page.map((record) => rows.lineOf(record)).join("");
}

/** Makes the check of a version against `If-Match`. Without that header, or with `*`, every version passes. */
export function expectedIn(headers: Call<unknown, unknown, unknown, unknown>["headers"]): Expected {
  const tags = ifMatchOf(headers);
  if (tags === null || tags === "any") return () => true;
  const named = tags.map((tag) => Number(/^"(\d{1,15})"$/.exec(tag)?.[1] ?? Number.NaN));
  return (version, since = version) => named.some((each) => each >= since && each <= version);
}
