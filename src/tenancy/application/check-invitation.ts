import { WrongInvitation } from "../domain/access.ts";
import type { InvitationStore } from "./ports.ts";

/** Says whether an invitation can be accepted, before its user chooses a password. */
export class CheckInvitation {
  constructor(private readonly invitations: InvitationStore) {}

  /** When the invitation ends. Rejects with `WrongInvitation` if it cannot be accepted. */
  async execute(token: string, network: string): Promise<Date> {
    const invitation = await this.invitations.open(token, network);
    if (!invitation) throw new WrongInvitation("no such invitation");
    return invitation.expiresAt;
  }
}
