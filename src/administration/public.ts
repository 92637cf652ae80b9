export { ImportRecords } from "./application/import-records.ts";
export { adAccountRules, reportAccountRules, type StoredAdAccess } from "./application/manage-ad-accounts.ts";
export {
  ChangeRecords,
  type CommittedChange,
  ManageRecords,
  type ResourceRules,
} from "./application/manage-records.ts";
export { type InstanceReads, PairSenders, senderRules } from "./application/manage-senders.ts";
export type { OneRecord, RecordBatches, RecordReads, RecordStore, RecordStores } from "./application/ports.ts";
export { ReadAudit } from "./application/read-audit.ts";
export { SetOperatorFlag } from "./application/set-operator-flag.ts";
export { SubmitTemplate } from "./application/submit-template.ts";
export { SyncTemplates } from "./application/sync-templates.ts";
export type { ApprovingPlatform } from "./application/template-ports.ts";
export { ManageUserAccess } from "./application/user-access.ts";
export { operatorFlags } from "./domain/operator-flags.ts";
export type { Matching } from "./domain/records.ts";
