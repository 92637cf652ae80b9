import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { FairQueue } from "../../../kernel/fair-queue.ts";
import type { AppKeys, SessionStore, Sessions } from "../../application/ports.ts";
import type { KeyAccess, SessionUser } from "../../domain/access.ts";

/** Reports at once that a process gave or withdrew access to a business. */
export interface AccessChanges {
  /** False while changes of access to this business could be missed. */
  isLiveFor(businessId: number): boolean;
  onChange(listener: (businessId: number) => void): void;
  /** The listener is called after a time in which changes of the businesses that it concerns may have been missed. */
  onGap(listener: (concerns: (businessId: number) => boolean) => void): void;
}

interface RememberedSettings {
  readonly lifeMs: number;
  readonly size: number;
}

/** Caches for a few seconds what App Keys give access to. */
export class CachedAppKeys implements AppKeys {
  private readonly remembered: RememberedAccess<KeyAccess>;

  /** @param lookUps - the gate in which networks take turns to ask the store */
  constructor(keys: AppKeys, changes: AccessChanges, lookUps: FairQueue, settings?: RememberedSettings) {
    const look = (key: string, network: string) => keys.accessOf(key, network);
    this.remembered = new RememberedAccess(look, changes, lookUps, settings);
  }

  accessOf(key: string, network: string): Promise<KeyAccess | null> {
    return this.remembered.of(key, network);
  }

  /** The business of a cached key; does not ask the store. */
  businessOf(key: string): number | undefined {
    return this.remembered.peek(key)?.businessId;
  }
}

/** Caches for a few seconds the users of session tokens. */
export class CachedSessions implements Sessions, Pick<SessionStore, "revoke"> {
  private readonly remembered: RememberedAccess<SessionUser>;

  /** @param lookUps - the gate in which networks take turns to ask the store */
  constructor(
    private readonly sessions: Sessions & Pick<SessionStore, "revoke">,
    changes: AccessChanges,
    lookUps: FairQueue,
  ) {
    const look = (token: string, network: string) => sessions.userOf(token, network);
    this.remembered = new RememberedAccess(look, changes, lookUps);
  }

  userOf(token: string, network: string): Promise<SessionUser | null> {
    return this.remembered.of(token, network);
  }

  /** The business of a cached token; does not ask the store. */
  businessOf(token: string): number | undefined {
    return this.remembered.peek(token)?.businessId;
  }

  /** Drops the token at once, without waiting for the announcement of the change. */
  async revoke(token: string): Promise<boolean> {
    const revoked = await this.sessions.revoke(token);
    this.remembered.forget(token);
    return revoked;
  }
}

type Look<Access> = (credential: string, network: string) => Promise<Access | null>;

/**
 * Caches for a few seconds what credentials give access to. A revoked one is dropped by its announcement; the short
 * life bounds the harm of a lost announcement. Unknown credentials are never cached, because new ones must work at once
 * and are not announced.
 */
class RememberedAccess<Access extends { readonly businessId: number; readonly expiresAt: Date | null }> {
  private readonly known: LRUCache<string, Access>;
  /** Look-ups that wait for their turn. All requests with the same credential and network share one. */
  private readonly waiting = new Map<string, Promise<Access | null>>();
  /** Counts changes. An answer of the store that overlapped with a change is not cached. */
  private generation = 0;

  constructor(
    private readonly look: Look<Access>,
    private readonly changes: AccessChanges,
    private readonly lookUps: FairQueue,
    settings: RememberedSettings = { lifeMs: 5_000, size: 10_000 },
  ) {
    this.known = new LRUCache({ max: settings.size, ttl: settings.lifeMs });
    changes.onChange((changed) => this.drop((businessId) => businessId === changed));
    changes.onGap((concerns) => this.drop(concerns));
  }

  async of(credential: string, network: string): Promise<Access | null> {
    const found = await this.remembered(credential, network);
    if (!found?.expiresAt || found.expiresAt.getTime() > Date.now()) return found;
    // It expired by this machine's clock, which may be wrong, so the store decides.
    this.forget(credential);
    return this.remembered(credential, network);
  }

  private remembered(credential: string, network: string): Promise<Access | null> {
    const digest = digestOf(credential);
    const known = this.known.get(digest);
    if (known && this.changes.isLiveFor(known.businessId)) return Promise.resolve(known);
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
    const looked = this.lookUps.run(network, () => {
      stopWaiting();
      return this.lookNow(credential, digest, network);
    });
    if (isWaiting) this.waiting.set(`${network} ${digest}`, looked);
    return looked.finally(stopWaiting);
  }

  private async lookNow(credential: string, digest: string, network: string): Promise<Access | null> {
    const { generation } = this;
    const access = await this.look(credential, network);
    if (access && generation === this.generation && this.changes.isLiveFor(access.businessId))
      this.known.set(digest, access);
    return access;
  }

  forget(credential: string): void {
    this.generation += 1;
    this.known.delete(digestOf(credential));
  }

  private drop(concerns: (businessId: number) => boolean): void {
    this.generation += 1;
    for (const [digest, access] of this.known.entries()) if (concerns(access.businessId)) this.known.delete(digest);
  }
}

/** Digests are cached instead of credentials: they give no access. */
const digestOf = (credential: string): string => hash("sha256", credential, "base64");
