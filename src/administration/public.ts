export { ChangeRecords, ManageRecords } from "./application/manage-records.ts";
export type { OneRecord, RecordReads, RecordStore, RecordStores } from "./application/ports.ts";
export { ReadAudit } from "./application/read-audit.ts";
