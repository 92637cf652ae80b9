export { ManageRecords } from "./application/manage-records.ts";
export type { RecordStores } from "./application/ports.ts";
