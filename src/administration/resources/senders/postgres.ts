import type { Queries } from "../../../infra/postgres/database.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import { SealedRecords } from "../../adapters/postgres/sealed-records.ts";
import type { ManagedSender } from "./record.ts";

const sendersTable: RecordTable<ManagedSender> = {
  name: "senders",
  columns: {
    name: "name",
    provider: "provider",
    platformId: "platform_id",
    accountId: "account_id",
    phone: "phone",
    messagesPerSecond: "messages_per_second",
    state: "state",
    quality: "quality",
  },
  searched: ["name", "phone", "platform_id"],
  unique: { senders_provider_platform_id_key: "platformId" },
};

export class PostgresSenderRecords extends SealedRecords<ManagedSender> {
  constructor(transaction: Queries, vault: TokenVault) {
    super(transaction, vault, sendersTable);
  }

  /** What the provider says of it: no change of the record. */
  async note(businessId: number, id: number, state: string): Promise<void> {
    await run(this.transaction, sql("senders").where({ business_id: businessId, id }).update({ state }));
  }
}
