export { ImportRecords } from "./application/import-records.ts";
export { adAccountRules } from "./application/manage-ad-accounts.ts";
export { ChangeRecords, ManageRecords, type ResourceRules } from "./application/manage-records.ts";
export { PairSenders, senderRules } from "./application/manage-senders.ts";
export type { OneRecord, RecordBatches, RecordReads, RecordStore, RecordStores } from "./application/ports.ts";
export { ReadAudit } from "./application/read-audit.ts";
