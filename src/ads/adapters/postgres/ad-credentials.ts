import type { Cells } from "../../../infra/postgres/cells.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { BusinessNotFound } from "../../../kernel/errors.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { AdCredentialStore, AdCredentials, AdSettings, StoredAdAccess } from "../../application/ports.ts";

const of = statement("ad_credentials_of")`
  select credentials.sealed_token as "sealedToken", credentials.default_account_id as "defaultAccountId",
         business.feature_flags->'timezone' as timezone
  from businesses as business
  left join ad_credentials as credentials on credentials.business_id = business.id
  where business.id = $1`;

const put = statement("ad_credentials_put")`
  with before as (
    select default_account_id from ad_credentials where business_id = $1
  ),
  put as (
    insert into ad_credentials as stored (business_id, sealed_token, default_account_id)
    select id, $2, $3 from businesses where id = $1
    on conflict (business_id) do update
      set sealed_token = excluded.sealed_token, updated_at = excluded.updated_at,
          record_version = stored.record_version + 1,
          default_account_id = coalesce(excluded.default_account_id, stored.default_account_id)
    returning id, default_account_id
  )
  select put.id, json_build_object('defaultAccountId', put.default_account_id) as after,
         (select json_build_object('defaultAccountId', default_account_id) from before) as before
  from put`;

interface Row {
  readonly sealedToken: Buffer | null;
  readonly defaultAccountId: string | null;
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
    const { sealedToken, defaultAccountId, timezone } = row;
    const token = sealedToken && this.vault.open(sealedToken, businessId);
    return { token, defaultAccountId, timezone: timezoneOf(timezone) };
  }

  async put(businessId: number, token: string, defaultAccountId: string | null): Promise<StoredAdAccess> {
    const values = [businessId, this.vault.seal(token, businessId), defaultAccountId];
    const [stored] = await this.cells.of(businessId).rows<StoredAdAccess>(put, values);
    if (!stored) throw new BusinessNotFound(`there is no business ${businessId}`);
    return stored;
  }
}
