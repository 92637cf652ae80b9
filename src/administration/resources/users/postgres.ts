import type { Queries } from "../../../infra/postgres/database.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { type Query, run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { AuditEntry, LogAgentChanges, RecordBatches, Referring } from "../../application/ports.ts";
import {
  type Invitation,
  invited,
  type UserAccessStore,
  type UserSession,
  type UserSessionReads,
} from "../../application/user-access.ts";
import { type RowInput, RuleBroken, type StoredRecord } from "../../domain/records.ts";
import { LastAdministrator } from "../../domain/users.ts";
import { isActiveAdministrator, isAgent, leaves, returns, type User, userMatching } from "./record.ts";

/** An invitation is valid for this many days. */
const invitationDays = 7;
/** Sign-ins keep fewer sessions open for a user; this only bounds the list. */
const mostSessions = 100;

const usersTable: RecordTable<User> = {
  name: "users",
  columns: { name: "name", roleId: "role_id", active: "active" },
  sets: {
    departmentIds: {
      table: "department_agents",
      own: "user_id",
      other: "department_id",
      mirror: { resource: "departments", field: "agentIds" },
    },
    branchIds: { table: "user_branches", own: "user_id", other: "branch_id" },
  },
  searched: ["name", "credential.email"],
  unique: { credentials_pkey: "email" },
  matching: userMatching,
};

export interface UserParts {
  newInvitation(): { readonly token: string; readonly digest: Buffer };
  readonly logAgentChanges: LogAgentChanges<Queries>;
}

/**
 * The e-mail is stored in `credentials`, where a sign-in looks it up, with the hash of the password and the digest of
 * the invitation. A change locks the user and all active administrators in the order of their ids, so that two changes
 * at once cannot remove the last two administrators.
 */
export class PostgresUserRecords extends KnexRecords<User> implements UserAccessStore, UserSessionReads {
  private readonly changedAgents = new Set<number>();
  private readonly invitations: AuditEntry[] = [];

  constructor(
    private readonly transaction: Queries,
    private readonly parts: UserParts,
  ) {
    super(transaction, usersTable);
  }

  override async lock(businessId: number, id: number): Promise<StoredRecord<User> | null> {
    await this.takeTurn(businessId);
    await this.lockAll(businessId, [id]);
    return this.find(businessId, id);
  }

  override async create(businessId: number, fields: User): Promise<StoredRecord<User>> {
    const created = await this.createUninvited(businessId, fields);
    const invitation = await this.invite(businessId, created.id);
    this.invitations.push(invited(created.id, invitation));
    return { ...created, shownOnce: { invitation } };
  }

  /** Makes the user without an invitation. */
  async createUninvited(businessId: number, fields: User): Promise<StoredRecord<User>> {
    const { id } = await super.create(businessId, fields);
    await this.setEmail(businessId, id, fields.email);
    await this.followUp(businessId, id, null, fields);
    return this.there(businessId, id);
  }

  override async change(businessId: number, id: number, fields: User): Promise<StoredRecord<User>> {
    const before = await this.there(businessId, id);
    await super.change(businessId, id, fields);
    if (fields.email !== before.fields.email) await this.setEmail(businessId, id, fields.email);
    await this.followUp(businessId, id, before.fields, fields);
    return this.there(businessId, id);
  }

  override async remove(businessId: number, id: number): Promise<void> {
    const before = await this.there(businessId, id);
    await super.remove(businessId, id);
    await run(this.transaction, sql("users").where({ business_id: businessId, id }).update({ active: false }));
    await run(this.transaction, this.credentialOf(businessId, id).delete());
    await this.writeSets(businessId, [[id, {}]]);
    await this.followUp(businessId, id, before.fields, null);
  }

  override async relatedChanges(businessId: number): Promise<readonly AuditEntry[]> {
    return [...(await super.relatedChanges(businessId)), ...this.invitations];
  }

  async logEvents(businessId: number): Promise<readonly LoggedEvent[]> {
    const ids = [...this.changedAgents];
    return ids.length === 0 ? [] : this.parts.logAgentChanges(this.transaction, businessId, ids);
  }

  async invite(businessId: number, userId: number): Promise<Invitation> {
    const { token, digest } = this.parts.newInvitation();
    const expiresAt = sql.raw("now() + make_interval(days => ?::integer)", [invitationDays]);
    const [row] = await run<{ readonly expiresAt: Date }>(
      this.transaction,
      this.credentialOf(businessId, userId)
        .update({ invitation_digest: digest, invitation_expires_at: expiresAt })
        .returning("invitation_expires_at as expiresAt"),
    );
    if (!row) throw new RuleBroken("email es requerido");
    return { token, expiresAt: row.expiresAt };
  }

  async forgetPassword(businessId: number, userId: number): Promise<void> {
    await run(this.transaction, this.credentialOf(businessId, userId).update({ password_hash: null }));
  }

  async endSessions(businessId: number, userId: number, sessionId: number | null): Promise<number> {
    const open = this.openSessions(businessId, userId);
    if (sessionId !== null) open.where("id", sessionId);
    const ended = await run(this.transaction, open.update({ revoked_at: sql.fn.now() }).returning("id"));
    return ended.length;
  }

  async sessions(businessId: number, userId: number): Promise<readonly UserSession[]> {
    const open = this.openSessions(businessId, userId)
      .select("id", "created_at as createdAt", "expires_at as expiresAt", "address")
      // A use is stored as its hour, which may have begun before the session was made. `greatest` ignores a null.
      .select(sql.raw('case when last_used_at is not null then greatest(last_used_at, created_at) end as "lastUsedAt"'))
      .orderBy("created_at", "desc")
      .limit(mostSessions);
    return run<UserSession>(this.transaction, open);
  }

  protected override of(businessId: number): Query {
    return super
      .of(businessId)
      .leftJoin("credentials as credential", (on) => {
        on.on("credential.business_id", "record.business_id").andOn("credential.user_id", "record.id");
      })
      .select(sql.raw("coalesce(credential.email, '') as email"));
  }

  /** The users with these e-mails, locked. */
  async withEmails(businessId: number, emails: readonly string[]): Promise<ReadonlyMap<string, StoredRecord<User>>> {
    await this.takeTurn(businessId);
    const known = sql("credentials")
      .where("business_id", businessId)
      .whereRaw("email = any(?)", [emails] as never);
    const ids = (await run<{ readonly id: number }>(this.transaction, known.select("user_id as id"))).map(
      ({ id }) => id,
    );
    await this.lockAll(businessId, ids);
    return new Map((await this.those(businessId, ids)).map((kept) => [kept.fields.email, kept]));
  }

  /** Those of the e-mails that are in use in any business. */
  async emailsInUse(emails: readonly string[]): Promise<ReadonlySet<string>> {
    const known = sql("credentials").whereRaw("email = any(?)", [emails] as never);
    const rows = await run<{ readonly email: string }>(this.transaction, known.select("email"));
    return new Set(rows.map(({ email }) => email));
  }

  private async there(businessId: number, id: number): Promise<StoredRecord<User>> {
    const kept = await this.find(businessId, id);
    if (!kept) throw new Error(`user ${id} of business ${businessId} is gone in a transaction that holds it`);
    return kept;
  }

  private credentialOf(businessId: number, userId: number): Query {
    return sql("credentials").where({ business_id: businessId, user_id: userId });
  }

  private openSessions(businessId: number, userId: number): Query {
    return sql("sessions")
      .where({ business_id: businessId, user_id: userId })
      .whereNull("revoked_at")
      .where("expires_at", ">", sql.fn.now());
  }

  private async lockAll(businessId: number, ids: readonly number[]): Promise<void> {
    const wanted = sql("users")
      .where("business_id", businessId)
      .where((any) => {
        any.whereIn("id", [...ids]).orWhere({ role_id: administratorRole, active: true });
      });
    await run(this.transaction, wanted.select("id").orderBy("id").forNoKeyUpdate());
  }

  /** Removes an open invitation: the person who got it under the old e-mail may no longer accept it. */
  private async setEmail(businessId: number, userId: number, email: string): Promise<void> {
    const row = { email: sql.raw("lower(?)", [email]), business_id: businessId, user_id: userId };
    await this.written(
      sql("credentials")
        .insert(row)
        .onConflict(["business_id", "user_id"])
        .merge({ email: sql.raw("excluded.email"), invitation_digest: null, invitation_expires_at: null }),
    );
  }

  /** Ends sessions, hands over chats and checks administrators after a user was created, changed or archived. */
  private async followUp(businessId: number, id: number, before: User | null, after: User | null): Promise<void> {
    const row = sql("users").where({ business_id: businessId, id });
    if (before && leaves(before, after)) {
      await run(this.transaction, row.update({ available: false, hands_over_since: sql.fn.now() }));
      await this.endSessions(businessId, id, null);
    } else if (before && returns(before, after)) {
      await run(this.transaction, row.update({ hands_over_since: null }));
    }
    if (isActiveAdministrator(before) && !isActiveAdministrator(after)) await this.checkAdministrators(businessId);
    if (isAgent(before) || isAgent(after)) this.changedAgents.add(id);
  }

  private async checkAdministrators(businessId: number): Promise<void> {
    const left = sql("users").where({ business_id: businessId, role_id: administratorRole, active: true });
    const [one] = await run(this.transaction, left.select("id").limit(1));
    if (!one) throw new LastAdministrator();
  }
}

/** Imports users one after the other, because each change has follow-ups beyond its row. */
export class PostgresUserBatches implements RecordBatches<User> {
  constructor(private readonly users: PostgresUserRecords) {}

  async matching(
    businessId: number,
    wanted: readonly RowInput<User>[],
  ): Promise<readonly (StoredRecord<User> | null)[]> {
    const emails = wanted.flatMap(({ fields }) => fields.email ?? []);
    const byEmail = await this.users.withEmails(businessId, emails);
    return wanted.map(({ fields }) => byEmail.get(fields.email ?? "") ?? null);
  }

  unknownReferences(
    businessId: number,
    records: readonly Referring<User>[],
  ): ReturnType<RecordBatches<User>["unknownReferences"]> {
    return this.users.unknownReferences(businessId, records);
  }

  relatedChanges(businessId: number): Promise<readonly AuditEntry[]> {
    return this.users.relatedChanges(businessId);
  }

  logEvents(businessId: number): Promise<readonly LoggedEvent[]> {
    return this.users.logEvents(businessId);
  }

  async createAll(businessId: number, records: readonly User[]): Promise<readonly (StoredRecord<User> | null)[]> {
    const inUse = await this.users.emailsInUse(records.map(({ email }) => email));
    const created: (StoredRecord<User> | null)[] = [];
    for (const fields of records) {
      created.push(inUse.has(fields.email) ? null : await this.users.createUninvited(businessId, fields));
    }
    return created;
  }

  async changeAll(
    businessId: number,
    changes: readonly { readonly id: number; readonly fields: User }[],
  ): Promise<readonly StoredRecord<User>[]> {
    const changed: StoredRecord<User>[] = [];
    for (const { id, fields } of changes) changed.push(await this.users.change(businessId, id, fields));
    return changed;
  }
}
