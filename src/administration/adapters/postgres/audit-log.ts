import type { Queries } from "../../../infra/postgres/database.ts";
import type { AuditEntry, AuditLog } from "../../application/ports.ts";
import type { Actor } from "../../domain/records.ts";
import { run, sql } from "./query.ts";

export class PostgresAuditLog implements AuditLog {
  constructor(private readonly transaction: Queries) {}

  async add({ businessId, kind, id, address }: Actor, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const rows = entries.map(({ resource, recordId, change, before, after }) => ({
      business_id: businessId,
      actor_kind: kind,
      actor_id: id,
      address,
      resource,
      record_id: recordId,
      change,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
    }));
    await run(this.transaction, sql("audit").insert(rows));
  }
}
