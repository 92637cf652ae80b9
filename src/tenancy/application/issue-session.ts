import { bySystem } from "../../kernel/audit.ts";
import type { OpenedSession, OpenSession } from "./open-session.ts";
import type { NotingUnitOfWork } from "./ports.ts";

/** An operator opens a session for a user. The audit has an entry before the operator gets the token. */
export class IssueSession {
  constructor(
    private readonly sessions: Pick<OpenSession, "forUser">,
    private readonly unitOfWork: NotingUnitOfWork,
  ) {}

  /** Rejects as `OpenSession.forUser` does. */
  async execute(userId: number, businessId?: number): Promise<OpenedSession> {
    const session = await this.sessions.forUser(userId, businessId);
    const entry = { resource: "user-sessions", recordId: userId, change: "created" } as const;
    const after = { expiresAt: session.expiresAt.toISOString() };
    await this.unitOfWork.run(session.businessId, ({ note }) =>
      note(session.businessId, bySystem, [{ ...entry, before: null, after }]),
    );
    return session;
  }
}
