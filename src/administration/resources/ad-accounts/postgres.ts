import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { AdAccess } from "../../domain/ad-access.ts";

export const adAccountsTable: RecordTable<AdAccess> = {
  name: "ad_credentials",
  columns: { defaultAccountId: "default_account_id" },
  searched: ["default_account_id"],
  unique: { ad_credentials_pkey: "token" },
};
