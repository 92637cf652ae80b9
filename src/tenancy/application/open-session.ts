import { NoSuchUser, WrongCredentials } from "../domain/access.ts";
import type { NewToken, PasswordCheck, SessionStore, UserDirectory } from "./ports.ts";

export interface OpenedSession {
  /** Shown once; only its digest is stored. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly businessId: number;
  readonly userId: number;
}

export type OpenSessionFailure = WrongCredentials;

export class OpenSession {
  constructor(
    private readonly directory: UserDirectory,
    private readonly sessions: SessionStore,
    private readonly passwords: PasswordCheck,
    private readonly newToken: NewToken,
    private readonly hours: number,
  ) {}

  /** Rejects with `WrongCredentials`, whether it is the e-mail or the password that is wrong. */
  async withPassword(email: string, password: string): Promise<OpenedSession> {
    const stored = await this.directory.credentialsOf(email);
    const matches = await this.passwords.matches(password, stored?.passwordHash ?? null);
    const session = stored && matches ? await this.open(stored.businessId, stored.userId) : null;
    if (!session) throw new WrongCredentials("e-mail and password do not match");
    return session;
  }

  /** For an operator; rejects with `NoSuchUser`. */
  async forUser(userId: number): Promise<OpenedSession> {
    const businessId = await this.directory.businessOf(userId);
    const session = businessId === null ? null : await this.open(businessId, userId);
    if (!session) throw new NoSuchUser(`there is no active user ${userId}`);
    return session;
  }

  private async open(businessId: number, userId: number): Promise<OpenedSession | null> {
    const token = this.newToken("rs");
    const expiresAt = await this.sessions.open(businessId, userId, token, this.hours);
    return expiresAt && { token, expiresAt, businessId, userId };
  }
}
