export { ChangeRecords, ManageRecords } from "./application/manage-records.ts";
export type { OneRecord, RecordStore, RecordStores } from "./application/ports.ts";
