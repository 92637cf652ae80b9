import { administration } from "../../../infra/http/routing/administration.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import type { ManageRecords } from "../../application/manage-records.ts";
import { answers, failures } from "./administration-dialect.ts";
import type { RecordOnWire } from "./record-on-wire.ts";
import { actorOf, expectedIn, numbering, partsOf } from "./records.routes.ts";

/** The two routes of a resource that has one record for each business, such as the flags. */
export function oneRecordRoutes<Fields extends object>(
  resource: RecordOnWire<Fields>,
  records: Pick<ManageRecords<Fields>, "one" | "change">,
): Route[] {
  const { path, one, rules = [], closed } = resource;
  const { codec, dialectFor, found, elsewhere, codesElsewhere, replyOf } = partsOf(resource);
  const numbered = numbering(one);
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
