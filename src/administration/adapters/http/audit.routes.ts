import { administration } from "../../../infra/http/routing/administration.ts";
import { limitOf, pageAnswer, pagedQuery, positionIn } from "../../../infra/http/routing/cursors.ts";
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
import { failures } from "./administration-dialect.ts";
import { type RecordOnWire, WireCodec } from "./record-on-wire.ts";

const usualPage = 50;

/** Resources whose entries are stored as clients see them. These entries need no codec. */
const storedAsOnWire = ["contacts", "user-passwords", "webhooks"];

const record = orNull({ type: "object", description: "In the format of its resource" } as const);
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

export function auditRoute(audit: Pick<ReadAudit, "list">, resources: readonly RecordOnWire<never>[]): Route {
  const codecs = new Map(resources.map((resource) => [resource.path, new WireCodec<object>(resource as never)]));
  const names = [...codecs.keys(), ...storedAsOnWire].sort();
  const wireFieldsOf = (resource: string, kept: object | null) =>
    kept && (codecs.get(resource)?.partOf(kept as never) ?? kept);
  const wireOf = ({ id, at, actorKind, actorId, actorName, address, resource, recordId, ...entry }: StoredEntry) => ({
    id,
    at: at.toISOString(),
    actor: { type: actorKind, id: actorId, nombre: actorName },
    ip: address,
    resource,
    record_id: recordId,
    change: entry.change,
    before: wireFieldsOf(resource, entry.before),
    after: wireFieldsOf(resource, entry.after),
  });
  return defineRoute({
    ...administration,
    method: "get",
    path: "/admin/audit",
    operationId: "listAudit",
    summary: "Who changed what, the latest first",
    rules: {
      "Audit.1":
        "Each change under `/admin`, the latest first: who made it, when and from which address, and the record before and " +
        "after, in the format of its resource and without secrets. `before` is null for a creation, `after` for a removal. " +
        "The audit also has users' changes of their own password (`user-passwords`), invitations (`user-invitations`: created, " +
        "also with a new user, and removed when the user accepts one), erasures (`contacts`, with the id only), the QR codes that " +
        "were requested for senders and, by `system`, the phones that were paired (`sender-pairings`, by the sender's id), and " +
        "what an operator created or revoked, by `system`. A test, a redelivery and a replay of a webhook are changes of the " +
        "webhook: `after` has `tested`, `redelivered` or `replayed_since`. Sessions that users open, and their availability, are not in the audit: " +
        "`GET /admin/users/{id}/sessions` lists the sessions.",
      "Audit.2":
        "`resource` is the name in the path, such as `tags`; other names are refused. `record` is the id of a record of that " +
        "resource, and is refused without `resource`. `from` and `to` are inclusive; without a zone they are in the business's, " +
        "and a date alone means its whole day. An entry must pass all filters.",
      "Audit.3": "Entries are kept for 400 days. Nothing changes them.",
    },
    query: pagedQuery(usualPage, {
      resource: { type: "string", enum: names, example: "tags" },
      record: { type: "integer", minimum: 1, maximum: maxId, description: "The id of a record of that resource" },
      user: { ...numericIdOf("user"), description: "Made by this user" },
      from: { type: "string", minLength: 1, maxLength: 40, example: "2026-03-01" },
      to: { type: "string", minLength: 1, maxLength: 40, example: "2026-03-31" },
    }),
    responses: {
      200: {
        description: "A page of entries",
        schema: objectWith({ data: { type: "array", items: entrySchema }, next: nullableText }),
      },
      ...failures,
    },
    dialect,
    handle: async ({ query, caller }) => {
      const { resource = null, record: recordId = null, user: userId = null, from = null, to = null } = query;
      const { cursor } = query;
      const limit = limitOf(query.limit ?? usualPage);
      // The index has the resource first, so with a record alone the query would read all entries of the business.
      if (recordId !== null && resource === null) throw new InvalidInput("resource es requerido junto con record");
      const after = cursor === undefined ? null : (positionIn(cursor, 2) as [number, number]);
      const asked = { resource, recordId, userId, from, to, after, limit };
      const found = await audit.list(caller.businessId, asked);
      return pageAnswer(found, limit, wireOf, ({ position, id }) => [position, id]);
    },
  });
}
