import { AmbiguousUser, NoSuchUser, WrongCredentials } from "../domain/access.ts";
import type { NewToken, PasswordHashing, SessionStore, SignInAttempts, SignInSource, UserDirectory } from "./ports.ts";

export interface OpenedSession {
  /** Shown once; only its digest is stored. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly businessId: number;
  readonly userId: number;
}

interface SignIn extends SignInSource {
  readonly password: string;
}

export class OpenSession {
  constructor(
    private readonly directory: UserDirectory,
    private readonly sessions: SessionStore,
    private readonly passwords: Pick<PasswordHashing, "matches">,
    private readonly attempts: SignInAttempts,
    private readonly newToken: NewToken,
    private readonly hours: number,
  ) {}

  /** Rejects with `WrongCredentials` if e-mail or password is wrong, and with `Busy` if the attempt has to wait. */
  async withPassword(signIn: SignIn, signal?: AbortSignal): Promise<OpenedSession> {
    const takeBack = await this.attempts.begin(signIn, signal);
    try {
      const session = await this.check(signIn, signal);
      takeBack();
      return session;
    } catch (error) {
      if (!(error instanceof WrongCredentials)) takeBack();
      throw error;
    }
  }

  /**
   * Opens a session on an operator's behalf. Rejects with `NoSuchUser`, or with `AmbiguousUser` if several businesses
   * have this user id.
   */
  async forUser(userId: number, businessId?: number): Promise<OpenedSession> {
    const found = businessId === undefined ? await this.directory.businessesWith(userId) : [businessId];
    if (found.length > 1) throw new AmbiguousUser(`user ${userId} is in the businesses ${found.join(", ")}: say which`);
    const [own] = found;
    const session = own === undefined ? null : await this.open(own, userId, null);
    const where = businessId === undefined ? "" : ` in business ${businessId}`;
    if (!session) throw new NoSuchUser(`there is no active user ${userId}${where}`);
    return session;
  }

  /** Null if there is no such active user. `address` is null if an operator opens the session. */
  async open(businessId: number, userId: number, address: string | null): Promise<OpenedSession | null> {
    const token = this.newToken("rs");
    const expiresAt = await this.sessions.open({ businessId, userId, token, hours: this.hours, address });
    return expiresAt && { token, expiresAt, businessId, userId };
  }

  private async check({ email, password, network, device }: SignIn, signal?: AbortSignal): Promise<OpenedSession> {
    const stored = await this.directory.credentialsOf(email);
    // All known devices of an account share one line for password checks. If each device had a line of its own, each
    // sign-in could add a device, and with it a line.
    const owner = device === null ? { share: network, isKnown: false } : { share: email.toLowerCase(), isKnown: true };
    const matches = await this.passwords.matches(password, stored?.passwordHash ?? null, owner, signal);
    if (!stored || !matches) throw new WrongCredentials("e-mail and password do not match");
    // A client that has disconnected would not get the token.
    signal?.throwIfAborted();
    const session = await this.open(stored.businessId, stored.userId, network);
    if (!session) throw new WrongCredentials("the user is no longer active");
    return session;
  }
}
