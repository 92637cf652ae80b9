import type { Queries } from "../../../infra/postgres/database.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { StoredRecord } from "../../domain/records.ts";
import { KnexRecords, type Row } from "./knex-records.ts";
import { run } from "./query.ts";
import type { RecordTable } from "./record-table.ts";

/** Records with an encrypted token. Only `lock` and `opened` return it; `list` and `find` do not. */
export class SealedRecords<Fields extends { readonly token: string | null }> extends KnexRecords<Fields> {
  constructor(
    protected readonly transaction: Queries,
    private readonly vault: TokenVault,
    sealed: RecordTable<Fields>,
  ) {
    super(transaction, sealed);
  }

  override async lock(businessId: number, id: number): Promise<StoredRecord<Fields> | null> {
    const kept = await super.lock(businessId, id);
    return kept && this.opened(businessId, id);
  }

  /** Reads the record with its token, without a lock. The token is null if it cannot be decrypted. */
  async opened(businessId: number, id: number): Promise<StoredRecord<Fields> | null> {
    const asked = this.of(businessId).where("record.id", id).select({ sealedToken: "record.sealed_token" });
    const [row] = await run<Row & { readonly sealedToken: Buffer }>(this.transaction, asked);
    if (!row) return null;
    const { sealedToken, ...record } = row;
    const kept = this.recordFrom(record);
    return { ...kept, fields: { ...kept.fields, token: this.unsealed(sealedToken, businessId) } };
  }

  private unsealed(sealedToken: Buffer, businessId: number): string | null {
    try {
      return this.vault.open(sealedToken, businessId);
    } catch {
      return null;
    }
  }

  protected override valuesOf(businessId: number, fields: Fields): Record<string, unknown> {
    const { token } = fields;
    const sealed = token === null ? {} : { sealed_token: this.vault.seal(token, businessId) };
    return { ...super.valuesOf(businessId, fields), ...sealed };
  }
}
