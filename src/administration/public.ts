export { type Changed, ChangeRecords, ManageRecords } from "./application/manage-records.ts";
export type { OneRecord, RecordReads, RecordStore, RecordStores } from "./application/ports.ts";
export { ManageUserAccess } from "./application/user-access.ts";
