import type { SessionStore, Sessions } from "../../application/ports.ts";
import type { SessionUser } from "../../domain/access.ts";
import { type AccessChanges, RememberedAccess, type RememberedSettings } from "./remembered-access.ts";

/** Remembers for a few seconds whom session tokens stand for, until they expire. */
export class CachedSessions implements Sessions, Pick<SessionStore, "revoke"> {
  private readonly remembered: RememberedAccess<SessionUser>;

  constructor(
    private readonly sessions: Sessions & Pick<SessionStore, "revoke">,
    changes: AccessChanges,
    settings?: RememberedSettings,
  ) {
    this.remembered = new RememberedAccess((token) => sessions.userOf(token), changes, settings);
  }

  async userOf(token: string): Promise<SessionUser | null> {
    const user = await this.remembered.of(token);
    if (!user || user.expiresAt.getTime() > Date.now()) return user;
    this.remembered.forget(token);
    return this.sessions.userOf(token);
  }

  /** Whoever closes a session is refused from then on, before the announcement comes around. */
  async revoke(token: string): Promise<boolean> {
    const revoked = await this.sessions.revoke(token);
    this.remembered.forget(token);
    return revoked;
  }
}
