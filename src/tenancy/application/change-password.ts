import { WrongPassword } from "../domain/access.ts";
import type { PasswordHashing, PasswordStore, PasswordUnitOfWork, SignInAttempts } from "./ports.ts";

interface NewPassword {
  readonly businessId: number;
  readonly userId: number;
  /** The token of the session that stays open. */
  readonly token: string;
  readonly current: string;
  readonly next: string;
  readonly network: string;
  /** The client's address, for the audit. */
  readonly address: string;
}

/** Changes the password of a user who knows the present one. */
export class ChangePassword {
  constructor(
    private readonly store: Pick<PasswordStore, "passwordOf">,
    private readonly unitOfWork: PasswordUnitOfWork,
    private readonly passwords: PasswordHashing,
    private readonly attempts: SignInAttempts,
  ) {}

  /** Ends the user's other sessions. Rejects with `WrongPassword`, and with `Busy` if the attempt has to wait. */
  async execute(
    { businessId, userId, token, current, next, network, address }: NewPassword,
    signal?: AbortSignal,
  ): Promise<void> {
    const who = `user ${businessId} ${userId}`;
    const stored = await this.store.passwordOf(businessId, userId);
    // The attempt counts as one from a known device, so only the user's own failures cause pauses.
    const takeBack = await this.attempts.begin({ email: who, network, device: who }, signal);
    try {
      if (!(await this.passwords.matches(current, stored, { share: who, isKnown: true }, signal))) {
        throw new WrongPassword("the current password is another");
      }
      takeBack();
    } catch (error) {
      if (!(error instanceof WrongPassword)) takeBack();
      throw error;
    }
    const passwordHash = await this.passwords.hash(next, who);
    await this.unitOfWork.run(businessId, async ({ passwords, note }) => {
      const isChanged = await passwords.change({ businessId, userId, token, passwordHash, before: stored });
      if (!isChanged) throw new WrongPassword("the password was changed meanwhile");
      const entry = { resource: "user-passwords", recordId: userId, change: "changed" } as const;
      await note(businessId, { kind: "user", id: userId, address }, [{ ...entry, before: null, after: null }]);
    });
  }
}
