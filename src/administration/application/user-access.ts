import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { type Actor, RecordNotFound, type StoredRecord } from "../domain/records.ts";
import type { AuditEntry, RecordStores } from "./ports.ts";

/** A one-time token with which a user chooses a password. */
export interface Invitation {
  /** Shown once; only its digest is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

export interface UserSession {
  readonly id: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Rounded down to the hour, but never before the creation; null before the first use. */
  readonly lastUsedAt: Date | null;
  /** The address that opened the session, for IPv6 its network; null if an operator opened the session. */
  readonly address: string | null;
  /** Whether the request belongs to this session. */
  readonly isCurrent: boolean;
}

/** One session by its id, all except the session of the token `exceptOf`, or all. */
export type EndedSessions = { readonly id: number } | { readonly exceptOf: string } | "all";

export interface UserAccessStore {
  lock(businessId: number, userId: number): Promise<StoredRecord<object> | null>;
  /** Replaces the user's earlier invitation. */
  invite(businessId: number, userId: number): Promise<Invitation>;
  forgetPassword(businessId: number, userId: number): Promise<void>;
  /** Returns the number of sessions that it ended. */
  endSessions(businessId: number, userId: number, ended: EndedSessions): Promise<number>;
}

interface UserSessionReads {
  find(businessId: number, userId: number): Promise<StoredRecord<object> | null>;
  /** The user's open sessions, newest first; at most 20. `token` tells which session is the request's. */
  sessions(businessId: number, userId: number, token: string | null): Promise<readonly UserSession[]>;
}

/** Administrators invite users, reset passwords and end sessions. All users see and end their own sessions. */
export class ManageUserAccess {
  constructor(
    private readonly reads: UserSessionReads,
    private readonly unitOfWork: UnitOfWork<RecordStores<UserAccessStore>>,
  ) {}

  /** The present password stays valid until the invitation is accepted. */
  invite(actor: Actor, userId: number): Promise<Invitation> {
    return this.act(actor, userId, async (records) => {
      const invitation = await records.invite(actor.businessId, userId);
      return [invitation, [invited(userId, invitation)]];
    });
  }

  /** The password becomes invalid and all sessions end. Rejects with `LastAdministrator`. */
  resetPassword(actor: Actor, userId: number): Promise<Invitation> {
    const { businessId } = actor;
    return this.act(actor, userId, async (records) => {
      await records.forgetPassword(businessId, userId);
      const ended = await records.endSessions(businessId, userId, "all");
      const invitation = await records.invite(businessId, userId);
      const reset = {
        resource: "user-passwords",
        recordId: userId,
        change: "removed",
        before: null,
        after: null,
      } as const;
      return [invitation, [reset, ...sessionsEnded(userId, ended), invited(userId, invitation)]];
    });
  }

  async sessions(businessId: number, userId: number, token: string | null): Promise<readonly UserSession[]> {
    if (!(await this.reads.find(businessId, userId))) throw new RecordNotFound();
    return this.reads.sessions(businessId, userId, token);
  }

  /** Rejects with `RecordNotFound`, also for a session that has already ended. */
  endSession(actor: Actor, userId: number, sessionId: number): Promise<void> {
    return this.act(actor, userId, async (records) => {
      const ended = await records.endSessions(actor.businessId, userId, { id: sessionId });
      if (ended === 0) throw new RecordNotFound();
      return [undefined, sessionsEnded(userId, ended)];
    });
  }

  endSessions(actor: Actor, userId: number, which: Exclude<EndedSessions, { id: number }> = "all"): Promise<void> {
    return this.act(actor, userId, async (records) => {
      const ended = await records.endSessions(actor.businessId, userId, which);
      return [undefined, sessionsEnded(userId, ended)];
    });
  }

  private act<Result>(
    actor: Actor,
    userId: number,
    work: (records: UserAccessStore) => Promise<readonly [Result, readonly AuditEntry[]]>,
  ): Promise<Result> {
    const { businessId } = actor;
    return this.unitOfWork.run(businessId, async ({ records, audit }) => {
      if (!(await records.lock(businessId, userId))) throw new RecordNotFound();
      const [result, entries] = await work(records);
      await audit.add(actor, entries);
      return result;
    });
  }
}

export const invited = (userId: number, { expiresAt }: Invitation): AuditEntry => ({
  resource: "user-invitations",
  recordId: userId,
  change: "created",
  before: null,
  after: { expiresAt: expiresAt.toISOString() },
});

const sessionsEnded = (userId: number, count: number): AuditEntry[] =>
  count === 0
    ? []
    : [{ resource: "user-sessions", recordId: userId, change: "removed", before: { sessions: count }, after: null }];
