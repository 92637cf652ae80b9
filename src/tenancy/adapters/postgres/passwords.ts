import type { Cells } from "../../../infra/postgres/cells.ts";
import { hexOf } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type {
  AcceptedInvitation,
  AcceptedInvitations,
  ChangedPassword,
  OpenInvitation,
  PasswordStore,
} from "../../application/ports.ts";

const openInvitation = `
  users.business_id = credentials.business_id and users.id = credentials.user_id and users.active
  and credentials.invitation_digest = $1 and credentials.invitation_expires_at > now()`;

const isOpen = statement("invitation_open")`
  select credentials.business_id as "businessId", credentials.invitation_expires_at as "expiresAt"
  from credentials, users where ${openInvitation}`;

/** Uses up the invitation and ends all sessions of the user, because the old password opened them. */
const accept = statement("invitation_accept")`
  with open as (
    select credentials.business_id, credentials.user_id, credentials.invitation_expires_at
    from credentials, users where ${openInvitation}
    for update of credentials
  ),
  accepted as (
    update credentials set password_hash = $2, invitation_digest = null, invitation_expires_at = null
    from open where credentials.business_id = open.business_id and credentials.user_id = open.user_id
    returning open.business_id, open.user_id, open.invitation_expires_at
  ),
  ended as (
    update sessions set revoked_at = now() from accepted
    where sessions.business_id = accepted.business_id and sessions.user_id = accepted.user_id
      and sessions.revoked_at is null and sessions.expires_at > now()
  )
  select user_id as "userId", invitation_expires_at as "expiresAt" from accepted`;

const find = statement("password_find")`
  select password_hash as "passwordHash" from credentials where business_id = $1 and user_id = $2`;

/** Also cancels an open invitation, because the password could be changed again with it. */
const change = statement("password_change")`
  with changed as (
    update credentials set password_hash = $3, invitation_digest = null, invitation_expires_at = null
    where business_id = $1 and user_id = $2 and password_hash = $4
    returning business_id, user_id
  ),
  ended as (
    update sessions set revoked_at = now() from changed
    where sessions.business_id = changed.business_id and sessions.user_id = changed.user_id
      and sessions.digest <> $5 and sessions.revoked_at is null and sessions.expires_at > now()
  )
  select user_id from changed`;

/** Finds invitations whose business is not known yet. */
export class PostgresInvitations {
  constructor(
    private readonly cells: Cells,
    private readonly digestOf: (token: string) => Buffer,
  ) {}

  async open(token: string): Promise<OpenInvitation | null> {
    const digest = this.digestOf(token);
    const cell = this.cells.ofName("invitation", hexOf(digest));
    const [open] = await cell.rows<OpenInvitation>(isOpen, [digest]);
    return open ?? null;
  }
}

/** The database has only digests of tokens, so tokens are compared by their digests. */
export class PostgresPasswords implements PasswordStore, AcceptedInvitations {
  constructor(
    private readonly transaction: Queries,
    private readonly digestOf: (token: string) => Buffer,
  ) {}

  async accept(token: string, passwordHash: string): Promise<AcceptedInvitation | null> {
    const values = [this.digestOf(token), passwordHash];
    const [accepted] = await this.transaction.rows<AcceptedInvitation>(accept, values);
    return accepted ?? null;
  }

  async passwordOf(businessId: number, userId: number): Promise<string | null> {
    const [found] = await this.transaction.rows<{ passwordHash: string | null }>(find, [businessId, userId]);
    return found?.passwordHash ?? null;
  }

  async change({ businessId, userId, token, passwordHash, before }: ChangedPassword): Promise<boolean> {
    const values = [businessId, userId, passwordHash, before, this.digestOf(token)];
    return (await this.transaction.rows(change, values)).length > 0;
  }
}
