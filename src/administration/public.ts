export { type Changed, ChangeRecords, ManageRecords } from "./application/manage-records.ts";
export type { OneRecord, RecordReads, RecordStore, RecordStores } from "./application/ports.ts";
export { SubmitTemplate } from "./application/submit-template.ts";
export { SyncTemplates } from "./application/sync-templates.ts";
export type { ApprovingPlatform } from "./application/template-ports.ts";
export { ManageUserAccess } from "./application/user-access.ts";
export { NoAccount } from "./domain/template.ts";
