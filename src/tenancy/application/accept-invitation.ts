import { WrongInvitation } from "../domain/access.ts";
import type { OpenedSession, OpenSession } from "./open-session.ts";
import type { InvitationStore, InvitationUnitOfWork, OpenInvitation, PasswordHashing } from "./ports.ts";

/** An invited user chooses a password and is signed in. */
export class AcceptInvitation {
  constructor(
    private readonly invitations: InvitationStore,
    private readonly unitOfWork: InvitationUnitOfWork,
    private readonly sessions: Pick<OpenSession, "open">,
    private readonly passwords: Pick<PasswordHashing, "hash">,
  ) {}

  /** Returns when the invitation expires. Rejects with `WrongInvitation` if it cannot be accepted. */
  async check(token: string, network: string): Promise<Date> {
    return (await this.opened(token, network)).expiresAt;
  }

  /**
   * If several calls use one invitation at the same time, one of them succeeds. Rejects with `WrongInvitation` if the
   * invitation is unknown, expired or used, or its user is not active.
   */
  async execute(
    token: string,
    password: string,
    { network, address }: { readonly network: string; readonly address: string },
  ): Promise<OpenedSession> {
    // The token is checked before the password is hashed, because a wrong token must not cause expensive hashing.
    const { businessId } = await this.opened(token, network);
    const passwordHash = await this.passwords.hash(password, network);
    const userId = await this.unitOfWork.run(businessId, async ({ invitations, note }) => {
      const accepted = await invitations.accept(token, passwordHash);
      if (!accepted) throw new WrongInvitation("the invitation was accepted or ended meanwhile");
      const { userId: id, expiresAt } = accepted;
      const entry = { resource: "user-invitations", recordId: id, change: "removed" } as const;
      const before = { expiresAt: expiresAt.toISOString() };
      await note(businessId, { kind: "user", id, address }, [{ ...entry, before, after: null }]);
      return id;
    });
    const session = await this.sessions.open(businessId, userId, network);
    if (!session) throw new WrongInvitation("the user is no longer active");
    return session;
  }

  private async opened(token: string, network: string): Promise<OpenInvitation> {
    const invitation = await this.invitations.open(token, network);
    if (!invitation) throw new WrongInvitation("no such invitation");
    return invitation;
  }
}
