import type { Queries } from "../../../infra/postgres/database.ts";
import { claimNames, hexOf } from "../../../infra/postgres/names.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { StoredRecord } from "../../domain/records.ts";
import type { AppKey } from "./record.ts";

export const appKeysTable: RecordTable<AppKey> = {
  name: "app_keys",
  columns: { label: "label", scopes: "scopes", expiresAt: "expires_at", lastUsedAt: "last_used_at" },
  arrays: ["scopes"],
  searched: ["label"],
};

/** Only the digest of a key is stored. */
export class PostgresAppKeyRecords extends KnexRecords<AppKey> {
  constructor(
    private readonly transaction: Queries,
    private readonly newKey: () => { readonly key: string; readonly digest: Buffer },
  ) {
    super(transaction, appKeysTable);
  }

  override async create(businessId: number, { label, scopes, expiresAt }: AppKey): Promise<StoredRecord<AppKey>> {
    const { key, digest } = this.newKey();
    await claimNames(this.transaction, businessId, "key", [hexOf(digest)]);
    const row = { business_id: businessId, digest, label, scopes: [...scopes], expires_at: expiresAt };
    const [inserted] = await run<{ readonly id: number }>(
      this.transaction,
      sql("app_keys").insert(row).returning("id"),
    );
    const kept = inserted && (await this.find(businessId, inserted.id));
    if (!kept) throw new Error(`a new key of business ${businessId} is gone in its own transaction`);
    return { ...kept, shownOnce: { key } };
  }
}
