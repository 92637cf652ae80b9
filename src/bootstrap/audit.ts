import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import type { Queries } from "../infra/postgres/database.ts";
import type { NoteInAudit } from "../kernel/audit.ts";

/** Lets other features write to the audit in their own transactions. */
export const noteOn = (transaction: Queries): NoteInAudit => {
  const audit = new PostgresAuditLog(transaction);
  return (businessId, by, changes) => audit.add({ businessId, ...by }, changes);
};
