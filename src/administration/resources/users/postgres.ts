import { claimNames, hexOf, releaseNames } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { type Query, run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import { PostgresUserSessions } from "../../adapters/postgres/user-sessions.ts";
import type { AuditEntry, LogAgentChanges, RecordBatches } from "../../application/ports.ts";
import { type EndedSessions, type Invitation, invited, type UserAccessStore } from "../../application/user-access.ts";
import {
  DuplicateValue,
  LastAdministrator,
  type RowInput,
  RuleBroken,
  type StoredRecord,
} from "../../domain/records.ts";
import { isActiveAdministrator, isAgent, leaves, returns, type User } from "./record.ts";

const invitationDays = 7;

const daysFromNow = (days: number): Date => new Date(Date.now() + days * 86_400_000);

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
};

/** Joins the `credentials` of each user as `credential`. `user` is the alias of the table of users. */
const withCredential = (users: Query, user: string): Query =>
  users.leftJoin("credentials as credential", (on) => {
    on.on("credential.business_id", `${user}.business_id`).andOn("credential.user_id", `${user}.id`);
  });

export interface UserParts {
  newInvitation(): { readonly token: string; readonly digest: Buffer };
  digestOf(token: string): Buffer;
  readonly logAgentChanges: LogAgentChanges<Queries>;
}

/**
 * `credentials` has the e-mail address, the hash of the password and the digest of the invitation. Changes of a
 * business's users run one at a time, so that each change sees whether an administrator is left. Storing an address
 * may wait for a transaction of another business, so a change stores addresses before it locks rows that the inbox
 * needs. A change locks departments before users, as the assignment of tickets does.
 */
export class PostgresUserRecords extends KnexRecords<User> implements UserAccessStore, RecordBatches<User> {
  private readonly changedAgents = new Set<number>();
  private readonly invitations: AuditEntry[] = [];
  private readonly openSessions: PostgresUserSessions;

  constructor(
    private readonly transaction: Queries,
    private readonly parts: UserParts,
  ) {
    super(transaction, usersTable);
    this.openSessions = new PostgresUserSessions(transaction, parts.digestOf);
  }

  /** The business's lock is enough. The user's row is not locked, because assigning tickets would then wait. */
  override async lock(businessId: number, id: number): Promise<StoredRecord<User> | null> {
    await this.lockWrites(businessId);
    return this.find(businessId, id);
  }

  override async create(businessId: number, fields: User): Promise<StoredRecord<User>> {
    await this.lockWrites(businessId);
    await this.checkReferences(businessId, null, fields);
    const [added] = (await this.addAll(businessId, [fields])) as [StoredRecord<User>];
    const invitation = await this.invite(businessId, added.id);
    this.invitations.push(invited(added.id, invitation));
    return { ...added, shownOnce: { invitation } };
  }

  /** Adds users whose references were checked, without invitations. Returns them in the same order. */
  private async addAll(businessId: number, users: readonly User[]): Promise<StoredRecord<User>[]> {
    const ids = await this.insertAll(businessId, users);
    const added = users.map((fields, at): [number, User] => [ids[at] as number, fields]);
    await this.setEmails(businessId, added);
    await this.writeSets(businessId, added);
    for (const [id, fields] of added) await this.followUp(businessId, id, null, fields);
    return this.inOrder(businessId, ids);
  }

  override async change(businessId: number, id: number, fields: User): Promise<StoredRecord<User>> {
    await this.checkReferences(businessId, id, fields);
    const [changed] = await this.changeAll(businessId, [{ id, fields }]);
    return changed as StoredRecord<User>;
  }

  /** Also ends sessions and hands over chats where a change requires it. */
  async changeAll(
    businessId: number,
    changes: readonly { readonly id: number; readonly fields: User }[],
  ): Promise<StoredRecord<User>[]> {
    const ids = changes.map(({ id }) => id);
    const before = new Map((await this.findAll(businessId, ids)).map(({ id, fields }) => [id, fields]));
    const written = changes.map(({ id, fields }): [number, User] => [id, fields]);
    await this.setEmails(
      businessId,
      written.filter(([id, { email }]) => email !== before.get(id)?.email),
    );
    const givenUp = written.flatMap(([id, { email }]) => {
      const earlier = before.get(id)?.email ?? email;
      return earlier === email ? [] : [earlier];
    });
    await releaseNames(this.transaction, businessId, "email", givenUp);
    await this.lockInOrder(businessId, before, written);
    for (const [id, fields] of written) await this.update(businessId, id, fields);
    await this.writeSets(businessId, written);
    for (const [id, fields] of written) {
      const earlier = before.get(id) ?? null;
      if (isActiveAdministrator(earlier) && !isActiveAdministrator(fields)) await this.requireAnother(businessId, id);
      await this.followUp(businessId, id, earlier, fields);
    }
    return this.inOrder(businessId, ids);
  }

  override async remove(businessId: number, id: number): Promise<void> {
    const before = await this.held(businessId, id);
    await this.lockInOrder(businessId, new Map([[id, before.fields]]), [[id, { departmentIds: [] }]]);
    await super.remove(businessId, id);
    await run(this.transaction, sql("users").where({ business_id: businessId, id }).update({ active: false }));
    if (isActiveAdministrator(before.fields)) await this.requireAnother(businessId, id);
    await run(this.transaction, this.credentialOf(businessId, id).delete());
    await releaseNames(this.transaction, businessId, "email", [before.fields.email]);
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
    await claimNames(this.transaction, businessId, "invitation", [hexOf(digest)], daysFromNow(invitationDays));
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

  /** Rejects with `LastAdministrator` if the user is the only active administrator with a password. */
  async forgetPassword(businessId: number, userId: number): Promise<void> {
    const { fields } = await this.held(businessId, userId);
    const password = this.credentialOf(businessId, userId).whereNotNull("password_hash");
    const [held] = await run(this.transaction, password.select("user_id"));
    if (held && isActiveAdministrator(fields)) await this.requireAnother(businessId, userId);
    await run(this.transaction, this.credentialOf(businessId, userId).update({ password_hash: null }));
  }

  endSessions(businessId: number, userId: number, which: EndedSessions): Promise<number> {
    return this.openSessions.end(businessId, userId, which);
  }

  protected override of(businessId: number): Query {
    const users = withCredential(super.of(businessId), "record");
    return users.select(sql.raw("coalesce(credential.email, '') as email"));
  }

  async matching(
    businessId: number,
    wanted: readonly RowInput<User>[],
  ): Promise<readonly (StoredRecord<User> | null)[]> {
    await this.lockWrites(businessId);
    const emails = wanted.flatMap(({ fields }) => fields.email ?? []);
    const known = sql("credentials")
      .where("business_id", businessId)
      .whereRaw("email = any(?)", [emails] as never);
    const rows = await run<{ readonly id: number }>(this.transaction, known.select("user_id as id"));
    const ids = rows.map(({ id }) => id);
    const byEmail = new Map((await this.findAll(businessId, ids)).map((each) => [each.fields.email, each]));
    return wanted.map(({ fields }) => byEmail.get(fields.email ?? "") ?? null);
  }

  async createAll(businessId: number, records: readonly User[]): Promise<readonly (StoredRecord<User> | null)[]> {
    const inUse = await this.emailsInUse(
      businessId,
      records.map(({ email }) => email),
    );
    const free = records.filter(({ email }) => !inUse.has(email));
    const added = new Map((await this.addAll(businessId, free)).map((user, at) => [free[at], user]));
    return records.map((fields) => added.get(fields) ?? null);
  }

  /** Claims the given e-mails. Returns those that a user of any business already has. */
  private async emailsInUse(businessId: number, emails: readonly string[]): Promise<ReadonlySet<string>> {
    const taken = await claimNames(this.transaction, businessId, "email", emails);
    const known = sql("credentials").whereRaw("email = any(?)", [emails] as never);
    const rows = await run<{ readonly email: string }>(this.transaction, known.select("email"));
    return new Set([...taken, ...rows.map(({ email }) => email)]);
  }

  private credentialOf(businessId: number, userId: number): Query {
    return sql("credentials").where({ business_id: businessId, user_id: userId });
  }

  /** Locks the departments that these users join or leave, then the users. */
  private async lockInOrder(
    businessId: number,
    before: ReadonlyMap<number, User>,
    changes: readonly (readonly [id: number, fields: Pick<User, "departmentIds">])[],
  ): Promise<void> {
    const moved = changes.flatMap(([id, { departmentIds }]) => {
      const earlier = before.get(id)?.departmentIds ?? [];
      return [
        ...earlier.filter((each) => !departmentIds.includes(each)),
        ...departmentIds.filter((each) => !earlier.includes(each)),
      ];
    });
    const users = changes.map(([id]) => id);
    for (const [table, ids] of [["departments", moved] as const, ["users", users] as const]) {
      if (ids.length === 0) continue;
      const locked = sql(table)
        .where("business_id", businessId)
        .whereIn("id", [...new Set(ids)]);
      await run(this.transaction, locked.select("id").orderBy("id").forNoKeyUpdate());
    }
  }

  /**
   * Writes all e-mails sorted and in one statement, so that two imports of the same e-mails cannot deadlock.
   * Removes open invitations: the person who got one under the old e-mail may no longer accept it.
   */
  private async setEmails(businessId: number, users: readonly (readonly [id: number, fields: User])[]): Promise<void> {
    if (users.length === 0) return;
    const emails = users.map(([, { email }]) => email);
    const taken = await claimNames(this.transaction, businessId, "email", emails);
    if (taken.length > 0) throw new DuplicateValue("email");
    const rows = JSON.stringify(users.map(([id, { email }]) => ({ email, business_id: businessId, user_id: id })));
    await this.written(
      sql.raw(
        `insert into credentials (email, business_id, user_id)
         select lower(email), business_id, user_id from jsonb_populate_recordset(null::credentials, ?::jsonb) order by 1
         on conflict (business_id, user_id) do update
         set email = excluded.email, invitation_digest = null, invitation_expires_at = null`,
        [rows],
      ),
    );
  }

  /** Ends the sessions and hands over the chats of a user who `leaves`. Stops the handover if the user `returns`. */
  private async followUp(businessId: number, id: number, before: User | null, after: User | null): Promise<void> {
    const row = sql("users").where({ business_id: businessId, id });
    if (before && leaves(before, after)) {
      await run(this.transaction, row.update({ available: false, hands_over_since: sql.fn.now() }));
      await this.endSessions(businessId, id, "all");
    } else if (before && returns(before, after)) {
      await run(this.transaction, row.update({ hands_over_since: null }));
    }
    if (isAgent(before) || isAgent(after)) this.changedAgents.add(id);
  }

  /**
   * Throws `LastAdministrator` if the business has no other active administrator. If this user has a password, the
   * other administrator needs a password too: an administrator who was only invited may never sign in.
   */
  private async requireAnother(businessId: number, id: number): Promise<void> {
    const others = withCredential(sql("users as user"), "user")
      .where({ "user.business_id": businessId, "user.role_id": administratorRole, "user.active": true })
      .whereNot("user.id", id)
      .where((able) => {
        able
          .whereNotNull("credential.password_hash")
          .orWhereNotExists(this.credentialOf(businessId, id).whereNotNull("password_hash").select("user_id"));
      });
    const [one] = await run(this.transaction, others.select("user.id").limit(1));
    if (!one) throw new LastAdministrator();
  }
}
