import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import { BusinessNotFound } from "../../../kernel/errors.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { AdCredentialStore, AdCredentials, AdSettings } from "../../application/ports.ts";

const of: Statement = {
  name: "ad_credentials_of",
  text: `
    select credentials.sealed_token, credentials.default_account_id,
           business.feature_flags->'timezone' as timezone
    from businesses as business
    left join ad_credentials as credentials on credentials.business_id = business.id
    where business.id = $1`,
};

const put: Statement = {
  name: "ad_credentials_put",
  text: `
    insert into ad_credentials as stored (business_id, sealed_token, default_account_id)
    select id, $2, $3 from businesses where id = $1
    on conflict (business_id) do update
      set sealed_token = excluded.sealed_token, updated_at = now(),
          default_account_id = coalesce(excluded.default_account_id, stored.default_account_id)
    returning default_account_id`,
};

interface Row {
  readonly sealed_token: Buffer | null;
  readonly default_account_id: string | null;
  readonly timezone: unknown;
}

export class PostgresAdCredentials implements AdCredentials, AdCredentialStore {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  async of(businessId: number): Promise<AdSettings> {
    const [row] = await this.cells.of(businessId).rows<Row>(of, [businessId]);
    if (!row) throw new BusinessNotFound(`there is no business ${businessId}`);
    return {
      token: row.sealed_token && this.vault.open(row.sealed_token, businessId),
      defaultAccountId: row.default_account_id,
      timezone: timezoneOf(row.timezone),
    };
  }

  async put(businessId: number, token: string, defaultAccountId: string | null): Promise<string | null> {
    const values = [businessId, this.vault.seal(token, businessId), defaultAccountId];
    const [row] = await this.cells.of(businessId).rows<Pick<Row, "default_account_id">>(put, values);
    if (!row) throw new BusinessNotFound(`there is no business ${businessId}`);
    return row.default_account_id;
  }
}
