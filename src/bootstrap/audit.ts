import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import type { Queries } from "../infra/postgres/database.ts";
import type { NoteInAudit } from "../kernel/audit.ts";

/** Has other features write into the audit, each in its own transaction. */
export const noteOn = (transaction: Queries): NoteInAudit => {
  const audit = new PostgresAuditLog(transaction);
  return (businessId, by, changes) => audit.add({ businessId, ...by }, changes);
};
