import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { AuditEntry, AuditLog, AuditQuery, AuditReads, StoredEntry } from "../../application/ports.ts";
import type { Actor } from "../../domain/records.ts";
import { run, sql } from "./query.ts";

/** Entries per statement. Their JSON stays small enough for PostgreSQL, even if all records are large. */
const rowsAtATime = 500;

/** The new rows get ids that rise in the order of the entries. */
const add = statement("audit_add")`
  insert into audit (business_id, actor_kind, actor_id, address, resource, record_id, change, before, after)
  select $1, $2, $3, $4, entry.resource, entry."recordId", entry.change, entry.before, entry.after
  from rows from (
    jsonb_to_recordset($5::jsonb) as (resource text, "recordId" bigint, change text, before jsonb, after jsonb)
  ) with ordinality as entry(resource, "recordId", change, before, after, place)
  order by entry.place`;

export class PostgresAuditLog implements AuditLog {
  constructor(private readonly transaction: Queries) {}

  async add({ businessId, kind, id, address }: Actor, entries: readonly AuditEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += rowsAtATime) {
      // The rows are one JSON parameter, so that the same statement serves any number of them.
      const rows = JSON.stringify(entries.slice(from, from + rowsAtATime));
      await this.transaction.rows(add, [businessId, kind, id, address, rows]);
    }
  }
}

/** Days for which entries are kept. */
const kept = 400;

/** Finds the expired entries of each business through the index on time, instead of scanning the table. */
const purge = statement("audit_purge")`
  delete from audit using (
    select old.business_id, old.id
    from businesses as business
    cross join lateral (
      select business_id, id from audit
      where audit.business_id = business.id and audit.at < now() - make_interval(days => ${kept})
      limit $1
    ) as old
    where ${livesHere("business.id")}
    limit $1
  ) as old
  where audit.business_id = old.business_id and audit.id = old.id
  returning 1 as purged`;

export class PostgresAuditReads implements AuditReads {
  constructor(private readonly cells: Cells) {}

  list(businessId: number, asked: AuditQuery): Promise<readonly StoredEntry[]> {
    const { resource, recordId, userId, from, until, after, limit } = asked;
    const position = sql.raw("(extract(epoch from entry.at) * 1000000)::bigint");
    const page = sql({ entry: "audit" })
      .leftJoin({ user: "users" }, (on) =>
        on
          .on("user.business_id", "entry.business_id")
          .on("user.id", "entry.actor_id")
          .onVal("entry.actor_kind", "user"),
      )
      .leftJoin({ key: "app_keys" }, (on) =>
        on.on("key.business_id", "entry.business_id").on("key.id", "entry.actor_id").onVal("entry.actor_kind", "key"),
      )
      .where("entry.business_id", businessId)
      .select(
        "entry.id",
        "entry.at",
        sql.raw("? as position", [position]),
        { actorKind: "entry.actor_kind", actorId: "entry.actor_id", recordId: "entry.record_id" },
        sql.raw('coalesce("user".name, key.label) as "actorName"'),
        "entry.address",
        "entry.resource",
        "entry.change",
        "entry.before",
        "entry.after",
      )
      .orderBy([
        { column: "entry.at", order: "desc" },
        { column: "entry.id", order: "desc" },
      ])
      .limit(limit + 1);
    if (resource !== null) page.where("entry.resource", resource);
    if (recordId !== null) page.where("entry.record_id", recordId);
    if (userId !== null) page.where({ "entry.actor_kind": "user", "entry.actor_id": userId });
    if (from !== null) page.where("entry.at", ">=", from);
    if (until !== null) page.where("entry.at", "<", until);
    if (after !== null) {
      const [at, id] = after;
      page.whereRaw("(entry.at, entry.id) < ('epoch'::timestamptz + ?::bigint * interval '1 microsecond', ?)", [
        at,
        id,
      ]);
    }
    return run<StoredEntry>(this.cells.of(businessId), page);
  }

  /** Deletes the expired entries of all businesses, `batch` at a time. */
  async purge(signal: AbortSignal, batch = 5_000): Promise<void> {
    await this.cells.inEach(async (cell) => {
      for (let count = batch; count === batch && !signal.aborted; ) count = (await cell.rows(purge, [batch])).length;
    });
  }
}
