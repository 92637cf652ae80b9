import { administration } from "../../../infra/http/routing/administration.ts";
import { cursorField, cursorOf, limitField, limitOf, positionIn } from "../../../infra/http/routing/cursors.ts";
import { coded, codedDialect, type Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  named,
  nullableInteger,
  nullableText,
  numericIdOf,
  objectWith,
  orNull,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import { maxId } from "../../../kernel/ids.ts";
import type { StoredEntry } from "../../application/ports.ts";
import type { ReadAudit } from "../../application/read-audit.ts";
import type { WrongPeriod } from "../../domain/records.ts";
import { answers } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";

const usualPage = 50;

/** Resources whose entries are answered as they are kept: their fields have the same names on the wire, or there are none. */
const keptAsTheyAre = ["contacts", "user-passwords", "webhooks"];

const record = orNull({ type: "object", description: "Spelled as its resource spells it" } as const);
const entrySchema = named(
  "AuditEntry",
  objectWith({
    id: { type: "integer", example: 7 },
    at: timestamp,
    actor: objectWith({
      type: { type: "string", enum: ["user", "key", "system"] },
      id: nullableInteger,
      nombre: nullableText,
    }),
    ip: text,
    resource: { ...text, example: "tags" },
    record_id: { type: "integer" },
    change: { type: "string", enum: ["created", "changed", "removed"] },
    before: record,
    after: record,
  }),
);

const dialect = {
  ...codedDialect,
  wrong_period: ({ bound }) => [400, coded("invalid_input", `${bound} no es una fecha válida`)],
} as const satisfies typeof codedDialect & Dialect<WrongPeriod>;

/** @param resources - how each resource spells its records on the wire */
export function auditRoute(audit: Pick<ReadAudit, "list">, resources: readonly RecordOnWire<never>[]): Route {
  const codecs = new Map(resources.map((resource) => [resource.path, new WireCodec<object>(resource as never)]));
  const names = [...codecs.keys(), ...keptAsTheyAre].sort();
  const spelled = (resource: string, kept: object | null) =>
    kept && (codecs.get(resource)?.partOf(kept as never) ?? kept);
  const wireOf = ({ id, at, actorKind, actorId, actorName, address, resource, recordId, ...entry }: StoredEntry) => ({
    id,
    at: at.toISOString(),
    actor: { type: actorKind, id: actorId, nombre: actorName },
    ip: address,
    resource,
    record_id: recordId,
    change: entry.change,
    before: spelled(resource, entry.before),
    after: spelled(resource, entry.after),
  });
  return defineRoute({
    ...administration,
    method: "get",
    path: "/admin/audit",
    operationId: "listAudit",
    summary: "Who changed what, the latest first",
    rules: [
      [
        "Audit.1",
        "Each change under `/admin`, the latest first: who made it, when and from which address, the record before and after, " +
          "spelled as its resource spells it and without secrets. `before` is null where it was made, `after` where it was " +
          "removed. Beside these stand users' changes of their own password (`user-passwords`), invitations (`user-invitations`: made, " +
          "also with a new user, and removed by the user who accepted it), erasures (`contacts`, told by their id alone), the codes of " +
          "senders that were asked for and, by `system`, the phones that were paired (`sender-pairings`, by the sender's id), and " +
          "what an operator made or revoked, by `system`. What is asked of a webhook or a template stands there as its change: " +
          "`tested`, `redelivered`, `replayed_since`. Users' own sessions and availability are no changes of a record: " +
          "`GET /admin/users/{id}/sessions` lists the sessions.",
      ],
      [
        "Audit.2",
        "`resource` is the name in the path: `tags`; another one is refused. `record` is the id of a record of it, and is " +
          "refused without it. `from` and `to` are inclusive; without a zone they are in that of the " +
          "business, and a date alone means its whole day. Filters that are given together must all hold.",
      ],
      ["Audit.3", "Entries are kept for 400 days. Nothing changes them."],
    ],
    query: {
      type: "object",
      properties: {
        resource: { type: "string", enum: names, example: "tags" },
        record: { type: "integer", minimum: 1, maximum: maxId, description: "The id of a record of that resource" },
        user: { ...numericIdOf("user"), description: "Made by this user" },
        from: { type: "string", minLength: 1, maxLength: 40, example: "2026-03-01" },
        to: { type: "string", minLength: 1, maxLength: 40, example: "2026-03-31" },
        cursor: cursorField,
        limit: limitField(usualPage),
      },
    } as const,
    responses: {
      200: {
        description: "A page of entries",
        schema: objectWith({ data: { type: "array", items: entrySchema }, next: nullableText }),
      },
      400: answers.wrong,
      500: answers.unexpected,
    },
    dialect,
    handle: async ({ query, caller }) => {
      const { resource = null, record: recordId = null, user: userId = null, from = null, to = null } = query;
      const { cursor } = query;
      const limit = limitOf(query.limit ?? usualPage);
      // No index has the id of a record without its resource: the whole audit of the business would be read.
      if (recordId !== null && resource === null) throw new InvalidInput("resource es requerido junto con record");
      const after = cursor === undefined ? null : (positionIn(cursor, 2) as [number, number]);
      const asked = { resource, recordId, userId, from, to, after, limit };
      const found = await audit.list(caller.businessId, asked);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { data: page.map(wireOf), next: last ? cursorOf(last.position, last.id) : null };
    },
  });
}
