import type { Queries } from "../../../infra/postgres/database.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { Kept } from "../../domain/records.ts";
import { KnexRecords } from "./knex-records.ts";
import { run, sql } from "./query.ts";
import type { RecordTable } from "./record-table.ts";

/** Records with a token, which is stored sealed. Only `lock` gives the token; lists and `find` leave it out. */
export class SealedRecords<Fields extends { readonly token: string | null }> extends KnexRecords<Fields> {
  constructor(
    protected readonly transaction: Queries,
    private readonly vault: TokenVault,
    private readonly sealed: RecordTable<Fields>,
  ) {
    super(transaction, sealed);
  }

  override async lock(businessId: number, id: number): Promise<Kept<Fields> | null> {
    const kept = await super.lock(businessId, id);
    if (!kept) return null;
    const asked = sql(this.sealed.name).where({ business_id: businessId, id }).select({ sealed: "sealed_token" });
    const [row] = await run<{ sealed: Buffer }>(this.transaction, asked);
    return row ? { ...kept, fields: { ...kept.fields, token: this.vault.open(row.sealed, businessId) } } : null;
  }

  protected override valuesOf(businessId: number, fields: Fields): Record<string, unknown> {
    const { token } = fields;
    const sealed = token === null ? {} : { sealed_token: this.vault.seal(token, businessId) };
    return { ...super.valuesOf(businessId, fields), ...sealed };
  }
}
