import { administration } from "../../../infra/http/routing/administration.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import type { ManageRecords } from "../../application/manage-records.ts";
import type { StoredRecord } from "../../domain/records.ts";
import { administrationDialect, answers } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";
import { actorOf, etagHeader, etagOf, expectedIn, numbering } from "./records.routes.ts";

/** The two routes of a resource that has one record for each business, such as the flags. */
export function oneRecordRoutes<Fields extends object>(
  resource: RecordOnWire<Fields>,
  records: Pick<ManageRecords<Fields>, "one" | "change">,
): Route[] {
  const { path, one, rules = [], closed, verifiedByPlatform } = resource;
  const codec = new WireCodec(resource);
  const numbered = numbering(one);
  const dialectFor = administrationDialect((field) => codec.wireName(field));
  const failures = { 400: answers.wrong, 500: answers.unexpected } as const;
  const elsewhere = verifiedByPlatform ? { 502: answers.away } : {};
  const codesElsewhere = verifiedByPlatform ? (["platform_unavailable", "wrong_field"] as const) : ([] as const);
  const found = { description: "The record", schema: codec.answer, headers: etagHeader } as const;
  const replyOf = (record: StoredRecord<Fields>) =>
    new Reply(200, codec.toWire(record), { ETag: etagOf(record.version) });
  return [
    defineRoute({
      ...administration,
      method: "get",
      path: `/admin/${path}`,
      operationId: `get${one}`,
      summary: `Read the ${path} record`,
      rules: numbered("Each business has one such record. `ETag` is its version."),
      responses: { 200: found, 404: answers.notFound, ...failures },
      dialect: dialectFor("not_found"),
      handle: async ({ caller }) => replyOf(await records.one(caller.businessId, caller.businessId)),
    }),
    defineRoute({
      ...administration,
      method: "put",
      path: `/admin/${path}`,
      operationId: `change${one}`,
      summary: `Replace the ${path} record`,
      rules: numbered(
        `Replaces the whole record and honours \`If-Match\`, as for other resources. Unknown fields are ${closed ? "refused" : "ignored"}.`,
        ...rules,
      ),
      conditional: true,
      body: codec.body,
      responses: { 200: found, 404: answers.notFound, 412: answers.movedOn, ...elsewhere, ...failures },
      dialect: dialectFor("not_found", "moved_on", "unknown_reference", "rule_broken", ...codesElsewhere),
      handle: async (call) => {
        const { businessId } = call.caller;
        const fields = codec.fieldsOf(call.body as Readonly<Record<string, unknown>>);
        return replyOf(await records.change(actorOf(call), businessId, fields, expectedIn(call.headers)));
      },
    }),
  ];
}
