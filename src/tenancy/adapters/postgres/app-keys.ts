import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { AppKeyStore, AppKeys } from "../../application/ports.ts";
import type { KeyAccess } from "../../domain/access.ts";

const access: Statement = {
  name: "app_key_access",
  text: `
    with used as (
      update app_keys set last_used_at = date_trunc('hour', now())
      where digest = $1 and revoked_at is null
        and (last_used_at is null or last_used_at < date_trunc('hour', now()))
    )
    select app_key.id as "keyId", app_key.business_id as "businessId",
           exists (select from users
                   where users.business_id = app_key.business_id and role_id = ${administratorRole} and active)
             as "hasAdministrator", app_key.scopes
    from app_keys as app_key
    where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};

const add: Statement = {
  name: "app_key_add",
  text: `
    insert into app_keys (digest, business_id, label)
    select $1, id, $3 from businesses where id = $2
    returning id`,
};

const revoke: Statement = {
  name: "app_key_revoke",
  text: `
    update app_keys set revoked_at = now()
    where business_id = $1 and label = $2 and revoked_at is null
    returning id`,
};

const revokeKey: Statement = {
  name: "app_key_revoke_one",
  text: "update app_keys set revoked_at = now() where digest = $1 and revoked_at is null returning business_id",
};

export class PostgresAppKeys implements AppKeys, AppKeyStore {
  constructor(
    private readonly directory: Queries,
    private readonly digestOf: (key: string) => Buffer,
  ) {}

  async accessOf(key: string): Promise<KeyAccess | null> {
    const [found] = await this.directory.rows<KeyAccess>(access, [this.digestOf(key)]);
    return found ?? null;
  }

  async add(businessId: number, key: string, label: string): Promise<boolean> {
    return (await this.directory.rows(add, [this.digestOf(key), businessId, label])).length > 0;
  }

  async revoke(businessId: number, label: string): Promise<number> {
    return (await this.directory.rows(revoke, [businessId, label])).length;
  }

  async revokeKey(key: string): Promise<number | null> {
    const [row] = await this.directory.rows<{ business_id: number }>(revokeKey, [this.digestOf(key)]);
    return row?.business_id ?? null;
  }
}
