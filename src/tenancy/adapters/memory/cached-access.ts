import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { FairGate } from "../../../kernel/fair-gate.ts";
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

/** Remembers for a few seconds what keys open, until they expire. */
export class CachedAppKeys implements AppKeys {
  private readonly remembered: RememberedAccess<KeyAccess>;

  /** @param lookUps - what networks share, and wait in, to have the store asked */
  constructor(keys: AppKeys, changes: AccessChanges, lookUps: FairGate, settings?: RememberedSettings) {
    const look = (key: string, network: string) => keys.accessOf(key, network);
    this.remembered = new RememberedAccess(look, changes, lookUps, settings);
  }

  accessOf(key: string, network: string): Promise<KeyAccess | null> {
    return this.remembered.of(key, network);
  }

  /** Of a key that is remembered; asks nobody. */
  businessOf(key: string): number | undefined {
    return this.remembered.peek(key)?.businessId;
  }
}

/** Remembers for a few seconds whom session tokens stand for, until they expire. */
export class CachedSessions implements Sessions, Pick<SessionStore, "revoke"> {
  private readonly remembered: RememberedAccess<SessionUser>;

  /** @param lookUps - what networks share, and wait in, to have the store asked */
  constructor(
    private readonly sessions: Sessions & Pick<SessionStore, "revoke">,
    changes: AccessChanges,
    lookUps: FairGate,
    settings?: RememberedSettings,
  ) {
    const look = (token: string, network: string) => sessions.userOf(token, network);
    this.remembered = new RememberedAccess(look, changes, lookUps, settings);
  }

  userOf(token: string, network: string): Promise<SessionUser | null> {
    return this.remembered.of(token, network);
  }

  /** Of a token that is remembered; asks nobody. */
  businessOf(token: string): number | undefined {
    return this.remembered.peek(token)?.businessId;
  }

  /** Whoever closes a session is refused from then on, before the announcement comes around. */
  async revoke(token: string): Promise<boolean> {
    const revoked = await this.sessions.revoke(token);
    this.remembered.forget(token);
    return revoked;
  }
}

type Look<Access> = (credential: string, network: string) => Promise<Access | null>;

/**
 * Remembers for a few seconds what credentials open. A revoked one is dropped by its announcement; the short life
 * only bounds what a lost announcement could do. Unknown ones are never remembered: nothing announces a new one, which
 * has to work at once.
 */
class RememberedAccess<Access extends { readonly businessId: number; readonly expiresAt: Date | null }> {
  private readonly known: LRUCache<string, Access>;
  /** Looks that have not begun: they will do for all who show the same credential from the same network. */
  private readonly waiting = new Map<string, Promise<Access | null>>();
  /** Counts changes: an answer that was on its way while one happened is not kept. */
  private generation = 0;

  constructor(
    private readonly look: Look<Access>,
    private readonly changes: AccessChanges,
    private readonly lookUps: FairGate,
    settings: RememberedSettings = { lifeMs: 5_000, size: 10_000 },
  ) {
    this.known = new LRUCache({ max: settings.size, ttl: settings.lifeMs });
    changes.onChange((businessId) => this.drop(businessId));
    changes.onGap(() => this.dropAll());
  }

  async of(credential: string, network: string): Promise<Access | null> {
    const found = await this.remembered(credential, network);
    if (!found?.expiresAt || found.expiresAt.getTime() > Date.now()) return found;
    // By this machine's clock; the store has the last word.
    this.forget(credential);
    return this.remembered(credential, network);
  }

  private remembered(credential: string, network: string): Promise<Access | null> {
    const digest = digestOf(credential);
    const known = this.changes.live ? this.known.get(digest) : undefined;
    if (known) return Promise.resolve(known);
    return this.waiting.get(`${network} ${digest}`) ?? this.lookInTurn(credential, digest, network);
  }

  peek(credential: string): Access | undefined {
    return this.known.get(digestOf(credential));
  }

  private async lookInTurn(credential: string, digest: string, network: string): Promise<Access | null> {
    let isWaiting = true;
    const stopWaiting = () => {
      if (isWaiting) this.waiting.delete(`${network} ${digest}`);
      isWaiting = false;
    };
    const looked = this.lookUps.pass(network, () => {
      stopWaiting();
      return this.lookNow(credential, digest, network);
    });
    if (isWaiting) this.waiting.set(`${network} ${digest}`, looked);
    return looked.finally(stopWaiting);
  }

  private async lookNow(credential: string, digest: string, network: string): Promise<Access | null> {
    const { generation } = this;
    const access = await this.look(credential, network);
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
