import type { Queries } from "../../../infra/postgres/database.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Kept } from "../../domain/records.ts";
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
  uses: [{ what: "campañas", table: "campaigns", column: "sender_id" }],
};

/** Tokens are stored sealed; who changes a sender is given the one that it has, and nobody else. */
export class PostgresSenderRecords extends KnexRecords<ManagedSender> {
  constructor(
    private readonly transaction: Queries,
    private readonly vault: TokenVault,
  ) {
    super(transaction, sendersTable);
  }

  override async lock(businessId: number, id: number): Promise<Kept<ManagedSender> | null> {
    const kept = await super.lock(businessId, id);
    if (!kept) return null;
    const asked = sql("senders").where({ business_id: businessId, id }).select({ sealed: "sealed_token" });
    const [row] = await run<{ sealed: Buffer }>(this.transaction, asked);
    return row ? { ...kept, fields: { ...kept.fields, token: this.vault.open(row.sealed, businessId) } } : null;
  }

  /** What the provider says of it: no change of the record. */
  async note(businessId: number, id: number, state: string): Promise<void> {
    await run(this.transaction, sql("senders").where({ business_id: businessId, id }).update({ state }));
  }

  protected override valuesOf(businessId: number, fields: ManagedSender): Record<string, unknown> {
    const { token } = fields;
    const sealed = token === null ? {} : { sealed_token: this.vault.seal(token, businessId) };
    return { ...super.valuesOf(businessId, fields), ...sealed };
  }
}
