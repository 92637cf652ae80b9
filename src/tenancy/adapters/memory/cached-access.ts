import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { AppKeys, SessionStore, Sessions } from "../../application/ports.ts";
import type { KeyAccess, SessionUser } from "../../domain/access.ts";

/** Hears at once when access to a business was withdrawn or given, whichever process did it. */
export interface AccessChanges {
  /** False while changes could be missed. */
  readonly live: boolean;
  onChange(listener: (businessId: number) => void): void;
  /** Called after a time in which changes may have been missed. */
  onGap(listener: () => void): void;
}

interface RememberedSettings {
  readonly lifeMs: number;
  readonly size: number;
}

/** Remembers for a few seconds what keys open. */
export class CachedAppKeys implements AppKeys {
  private readonly remembered: RememberedAccess<KeyAccess>;

  constructor(keys: AppKeys, changes: AccessChanges, settings?: RememberedSettings) {
    this.remembered = new RememberedAccess((key) => keys.accessOf(key), changes, settings);
  }

  accessOf(key: string): Promise<KeyAccess | null> {
    return this.remembered.of(key);
  }
}

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

/**
 * Remembers for a few seconds what credentials open. A revoked one is dropped by its announcement; the short life
 * only bounds what a lost announcement could do. Unknown ones are never remembered: a new one works at once.
 */
class RememberedAccess<Access extends { readonly businessId: number }> {
  private readonly known: LRUCache<string, Access>;
  /** Counts changes: an answer that was on its way while one happened is not kept. */
  private generation = 0;

  constructor(
    private readonly look: (credential: string) => Promise<Access | null>,
    private readonly changes: AccessChanges,
    settings: RememberedSettings = { lifeMs: 5_000, size: 10_000 },
  ) {
    this.known = new LRUCache({ max: settings.size, ttl: settings.lifeMs });
    changes.onChange((businessId) => this.drop(businessId));
    changes.onGap(() => this.dropAll());
  }

  async of(credential: string): Promise<Access | null> {
    if (!this.changes.live) return this.look(credential);
    const digest = digestOf(credential);
    const known = this.known.get(digest);
    if (known) return known;
    const { generation } = this;
    const access = await this.look(credential);
    if (access && generation === this.generation && this.changes.live) this.known.set(digest, access);
    return access;
  }

  forget(credential: string): void {
    this.generation += 1;
    this.known.delete(digestOf(credential));
  }

  private drop(businessId: number): void {
    this.generation += 1;
    for (const [digest, access] of this.known.entries())
      if (access.businessId === businessId) this.known.delete(digest);
  }

  private dropAll(): void {
    this.generation += 1;
    this.known.clear();
  }
}

/** What is remembered opens nothing. */
const digestOf = (credential: string): string => hash("sha256", credential, "base64");
