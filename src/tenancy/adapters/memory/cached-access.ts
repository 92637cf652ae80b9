import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { FairQueue } from "../../../kernel/fair-queue.ts";
import type { AppKeys, SessionStore, Sessions } from "../../application/ports.ts";
import type { KeyAccess, SessionUser } from "../../domain/access.ts";

/** Reports at once when the access of a business's user, key or session changes or ends. New access is not reported. */
export interface AccessChanges {
  /** False while changes of access to this business could be missed. */
  isLiveFor(businessId: number): boolean;
  onChange(listener: (businessId: number) => void): void;
  /** Calls the listener when changes may have been missed. `concerns` returns true for the businesses affected. */
  onGap(listener: (concerns: (businessId: number) => boolean) => void): void;
}

interface RememberedSettings {
  readonly lifeMs: number;
  readonly size: number;
  /** The system's clock by default. */
  readonly perf?: { now(): number };
}

/** After this part of an entry's life, the next request still uses the entry but starts a new look-up. */
const freshPart = 0.6;

/**
 * Caches for a few seconds what credentials give access to. An announced revocation drops the entry at once; the short
 * life limits the harm if the announcement is lost. An entry in use is renewed before it expires, so that no request
 * waits. Unknown credentials are not cached: a new credential is not announced and must work at once.
 */
class CachedAccess<Access extends { readonly businessId: number; readonly expiresAt: Date | null }> {
  private readonly known: LRUCache<string, Access>;
  /** Look-ups that wait for their turn. All requests with the same credential and network share one. */
  private readonly waiting = new Map<string, Promise<Access | null>>();
  /** Digests of the credentials that are being looked up again. */
  private readonly renewing = new Set<string>();
  /** The number of changes so far. If it grows during a look-up, the result is not cached. */
  private generation = 0;

  /** @param lookUps - the gate in which networks take turns to ask the store */
  constructor(
    private readonly look: (credential: string, network: string) => Promise<Access | null>,
    private readonly changes: AccessChanges,
    private readonly lookUps: FairQueue,
    private readonly settings: RememberedSettings = { lifeMs: 5_000, size: 10_000 },
  ) {
    const { size, lifeMs, perf = performance } = settings;
    this.known = new LRUCache({ max: size, ttl: lifeMs, noDeleteOnStaleGet: true, perf });
    changes.onChange((changed) => this.drop((businessId) => businessId === changed));
    changes.onGap((concerns) => this.drop(concerns));
  }

  protected async of(credential: string, network: string): Promise<Access | null> {
    const found = await this.remembered(credential, network);
    if (!found?.expiresAt || found.expiresAt.getTime() > Date.now()) return found;
    // The access has expired by this machine's clock, which may be wrong, so the store decides.
    this.forget(credential);
    return this.remembered(credential, network);
  }

  private remembered(credential: string, network: string): Promise<Access | null> {
    const digest = digestOf(credential);
    const known = this.known.get(digest);
    if (known && this.changes.isLiveFor(known.businessId)) {
      const left = this.known.getRemainingTTL(digest) / this.settings.lifeMs;
      if (left < 1 - freshPart) this.renew(credential, digest, network);
      return Promise.resolve(known);
    }
    return this.waiting.get(`${network} ${digest}`) ?? this.lookInTurn(credential, digest, network);
  }

  /** The business of a credential, without a look-up. The credential was valid before, but may be revoked by now. */
  businessOf(credential: string): number | undefined {
    return this.known.peek(digestOf(credential), { allowStale: true })?.businessId;
  }

  private renew(credential: string, digest: string, network: string): void {
    if (this.renewing.has(digest)) return;
    this.renewing.add(digest);
    this.lookInTurn(credential, digest, network)
      // A failed renewal is ignored. Once the entry has expired, the next request looks the credential up again.
      .catch(() => {})
      .finally(() => this.renewing.delete(digest));
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
    if (!access) this.known.delete(digest);
    else if (generation === this.generation && this.changes.isLiveFor(access.businessId))
      this.known.set(digest, access);
    return access;
  }

  protected forget(credential: string): void {
    this.generation += 1;
    this.known.delete(digestOf(credential));
  }

  private drop(concerns: (businessId: number) => boolean): void {
    this.generation += 1;
    for (const [digest, access] of this.known.entries()) if (concerns(access.businessId)) this.known.delete(digest);
  }
}

export class CachedAppKeys extends CachedAccess<KeyAccess> implements AppKeys {
  constructor(keys: AppKeys, changes: AccessChanges, lookUps: FairQueue, settings?: RememberedSettings) {
    super((key, network) => keys.accessOf(key, network), changes, lookUps, settings);
  }

  accessOf(key: string, network: string): Promise<KeyAccess | null> {
    return this.of(key, network);
  }
}

export class CachedSessions extends CachedAccess<SessionUser> implements Sessions, Pick<SessionStore, "revoke"> {
  constructor(
    private readonly sessions: Sessions & Pick<SessionStore, "revoke">,
    changes: AccessChanges,
    lookUps: FairQueue,
  ) {
    super((token, network) => sessions.userOf(token, network), changes, lookUps);
  }

  userOf(token: string, network: string): Promise<SessionUser | null> {
    return this.of(token, network);
  }

  /** Drops the token from the cache at once, without waiting for the announcement of the change. */
  async revoke(token: string): Promise<boolean> {
    const revoked = await this.sessions.revoke(token);
    this.forget(token);
    return revoked;
  }
}

/** Digests are cached instead of credentials, because a digest gives no access. */
const digestOf = (credential: string): string => hash("sha256", credential, "base64");
