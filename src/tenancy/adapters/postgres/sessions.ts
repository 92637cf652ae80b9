import { type Cells, everywhere, inBatches } from "../../../infra/postgres/cells.ts";
import { claimNames, hexOf } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { NewSession, SessionStore, Sessions, StoredCredentials, UserDirectory } from "../../application/ports.ts";
import type { SessionUser } from "../../domain/access.ts";

const user = statement("session_user")`
  with used as (
    update sessions set last_used_at = date_trunc('hour', now())
    where digest = $1 and revoked_at is null and expires_at > now()
      and (last_used_at is null or last_used_at < date_trunc('hour', now()))
  )
  select session.business_id as "businessId", session.user_id as "userId", users.role_id as "roleId",
         session.expires_at as "expiresAt"
  from sessions as session
  join users on users.business_id = session.business_id and users.id = session.user_id and users.active
  where session.digest = $1 and session.revoked_at is null and session.expires_at > now()`;

/** The most open sessions of one user. Only a program that signs in for each of its requests has so many. */
const mostSessions = 20;

const open = statement("session_open")`
  select open_session($1, $2, $3, make_interval(mins => ($4::float8 * 60)::int), $5, $6) as expires_at`;

const revoke = statement("session_revoke")`
  update sessions set revoked_at = now() where digest = $1 and revoked_at is null returning user_id`;

const purgedAtOnce = 10_000;
const purge = statement("session_purge")`
  with purged as (
    delete from sessions where digest in (
      select digest from sessions where expires_at < now() - interval '1 day' and ${livesHere("business_id")}
      order by expires_at limit $1)
    returning 1)
  select count(*) as count from purged`;

const credentials = statement("user_credentials")`
  select credentials.business_id as "businessId", credentials.user_id as "userId",
         credentials.password_hash as "passwordHash"
  from credentials
  join users on users.business_id = credentials.business_id and users.id = credentials.user_id and users.active
  where credentials.email = lower($1)`;

const businesses = statement("user_businesses")`
  select business_id from users where id = $1 and active and ${livesHere("business_id")}
  order by business_id limit 10`;

export class PostgresSessions implements Sessions, SessionStore, UserDirectory {
  constructor(
    private readonly cells: Cells,
    private readonly digestOf: (token: string) => Buffer,
  ) {}

  async userOf(token: string): Promise<SessionUser | null> {
    const digest = this.digestOf(token);
    const [found] = await this.ofName(digest).rows<SessionUser>(user, [digest]);
    return found ?? null;
  }

  async open({ businessId, userId, token, hours, address }: NewSession): Promise<Date | null> {
    const digest = this.digestOf(token);
    const values = [digest, businessId, userId, hours, mostSessions, address];
    const cell = this.cells.of(businessId);
    await claimNames(cell, businessId, "session", [hexOf(digest)], new Date(Date.now() + hours * 3_600_000));
    const [row] = await cell.rows<{ expires_at: Date | null }>(open, values);
    return row?.expires_at ?? null;
  }

  async revoke(token: string): Promise<boolean> {
    const digest = this.digestOf(token);
    return (await this.ofName(digest).rows(revoke, [digest])).length > 0;
  }

  purge(signal?: AbortSignal): Promise<number> {
    return inBatches(this.cells, { statement: purge, values: [purgedAtOnce], batch: purgedAtOnce }, signal);
  }

  async credentialsOf(email: string): Promise<StoredCredentials | null> {
    const [found] = await this.cells.ofName("email", email).rows<StoredCredentials>(credentials, [email]);
    return found ?? null;
  }

  async businessesWith(userId: number): Promise<number[]> {
    const ask = (cell: Queries) => cell.rows<{ business_id: number }>(businesses, [userId]);
    const rows = await everywhere(this.cells, ask);
    return rows.map((row) => row.business_id).sort((a, b) => a - b);
  }

  private ofName(digest: Buffer): Queries {
    return this.cells.ofName("session", hexOf(digest));
  }
}
