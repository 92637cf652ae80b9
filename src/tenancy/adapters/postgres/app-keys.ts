import type { Cells } from "../../../infra/postgres/cells.ts";
import { claimNames, hexOf } from "../../../infra/postgres/claimed-names.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { AppKeyStore, AppKeys, KeyOwners, StoredKey } from "../../application/ports.ts";
import type { KeyAccess } from "../../domain/access.ts";

const access = statement("app_key_access")`
  with used as (
    update app_keys set last_used_at = date_trunc('hour', now())
    where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())
      and (last_used_at is null or last_used_at < date_trunc('hour', now()))
  )
  select app_key.id as "keyId", app_key.business_id as "businessId",
         exists (select 1 from users
                 where users.business_id = app_key.business_id and role_id = ${administratorRole} and active)
           as "hasAdministrator", app_key.scopes, app_key.expires_at as "expiresAt"
  from app_keys as app_key
  where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())`;

const stored = `id, label, scopes, expires_at as "expiresAt"`;

const add = statement("app_key_add")`
  insert into app_keys (digest, business_id, label)
  select $1, id, $3 from businesses where id = $2
  returning ${stored}`;

const revoke = statement("app_key_revoke")`
  update app_keys set revoked_at = now()
  where business_id = $1 and label = $2 and revoked_at is null
  returning ${stored}`;

const revokeKey = statement("app_key_revoke_one")`
  update app_keys set revoked_at = now() where business_id = $1 and digest = $2 and revoked_at is null
  returning ${stored}`;

const owner = statement("app_key_owner")`
  select business_id as "businessId" from app_keys where digest = $1 and revoked_at is null`;

/** Finds keys whose business is not known yet. */
export class PostgresKeyOwners implements AppKeys, KeyOwners {
  constructor(
    private readonly cells: Cells,
    private readonly digestOf: (key: string) => Buffer,
  ) {}

  async accessOf(key: string): Promise<KeyAccess | null> {
    return (await this.ask<KeyAccess>(access, key)) ?? null;
  }

  async ownerOf(key: string): Promise<number | null> {
    return (await this.ask<{ businessId: number }>(owner, key))?.businessId ?? null;
  }

  private async ask<Row extends object>(statement: Statement, key: string): Promise<Row | undefined> {
    const digest = this.digestOf(key);
    const [found] = await this.cells.ofName("key", hexOf(digest)).rows<Row>(statement, [digest]);
    return found;
  }
}

export class PostgresAppKeys implements AppKeyStore {
  constructor(
    private readonly transaction: Queries,
    private readonly digestOf: (key: string) => Buffer,
  ) {}

  async add(businessId: number, key: string, label: string): Promise<StoredKey | null> {
    const digest = this.digestOf(key);
    await claimNames(this.transaction, businessId, "key", [hexOf(digest)]);
    const [made] = await this.transaction.rows<StoredKey>(add, [digest, businessId, label]);
    return made ?? null;
  }

  revoke(businessId: number, label: string): Promise<readonly StoredKey[]> {
    return this.transaction.rows<StoredKey>(revoke, [businessId, label]);
  }

  revokeKey(businessId: number, key: string): Promise<readonly StoredKey[]> {
    return this.transaction.rows<StoredKey>(revokeKey, [businessId, this.digestOf(key)]);
  }
}
