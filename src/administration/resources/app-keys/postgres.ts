import { claimNames, hexOf } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { StoredRecord } from "../../domain/records.ts";
import type { AppKey } from "./record.ts";

const appKeysTable: RecordTable<AppKey> = {
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

  override async create(businessId: number, fields: AppKey): Promise<StoredRecord<AppKey>> {
    const { key, digest } = this.newKey();
    await claimNames(this.transaction, businessId, "key", [hexOf(digest)]);
    const id = await this.insert(businessId, fields, { digest });
    return { ...(await this.finished(businessId, id, fields)), shownOnce: { key } };
  }
}
