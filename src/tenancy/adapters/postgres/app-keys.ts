import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { AppKeyStore, AppKeys, KeyOwners, StoredKey } from "../../application/ports.ts";
import type { KeyAccess } from "../../domain/access.ts";

const access: Statement = {
  name: "app_key_access",
  text: `
    with used as (
      update app_keys set last_used_at = date_trunc('hour', now())
      where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())
        and (last_used_at is null or last_used_at < date_trunc('hour', now()))
    )
    select app_key.id as "keyId", app_key.business_id as "businessId",
           exists (select from users
                   where users.business_id = app_key.business_id and role_id = ${administratorRole} and active)
             as "hasAdministrator", app_key.scopes, app_key.expires_at as "expiresAt"
    from app_keys as app_key
    where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};

const stored = `id, label, scopes, expires_at as "expiresAt"`;

const add: Statement = {
  name: "app_key_add",
  text: `
    insert into app_keys (digest, business_id, label)
    select $1, id, $3 from businesses where id = $2
    returning ${stored}`,
};

const revoke: Statement = {
  name: "app_key_revoke",
  text: `
    update app_keys set revoked_at = now()
    where business_id = $1 and label = $2 and revoked_at is null
    returning ${stored}`,
};

const revokeKey: Statement = {
  name: "app_key_revoke_one",
  text: `
    update app_keys set revoked_at = now() where business_id = $1 and digest = $2 and revoked_at is null
    returning ${stored}`,
};

const owner: Statement = {
  name: "app_key_owner",
  text: `select business_id as "businessId" from app_keys where digest = $1 and revoked_at is null`,
};

export class PostgresAppKeys implements AppKeys, AppKeyStore, KeyOwners {
  constructor(
    private readonly directory: Queries,
    private readonly digestOf: (key: string) => Buffer,
  ) {}

  async accessOf(key: string): Promise<KeyAccess | null> {
    const [found] = await this.directory.rows<KeyAccess>(access, [this.digestOf(key)]);
    return found ?? null;
  }

  async add(businessId: number, key: string, label: string): Promise<StoredKey | null> {
    const [made] = await this.directory.rows<StoredKey>(add, [this.digestOf(key), businessId, label]);
    return made ?? null;
  }

  revoke(businessId: number, label: string): Promise<readonly StoredKey[]> {
    return this.directory.rows<StoredKey>(revoke, [businessId, label]);
  }

  async revokeKey(businessId: number, key: string): Promise<StoredKey | null> {
    const [revoked] = await this.directory.rows<StoredKey>(revokeKey, [businessId, this.digestOf(key)]);
    return revoked ?? null;
  }

  async ownerOf(key: string): Promise<number | null> {
    const [found] = await this.directory.rows<{ businessId: number }>(owner, [this.digestOf(key)]);
    return found?.businessId ?? null;
  }
}
