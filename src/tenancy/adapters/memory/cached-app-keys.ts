import { LRUCache } from "lru-cache";
import type { AppKeys } from "../../application/ports.ts";
import type { KeyAccess } from "../../domain/access.ts";

/** Hears at once when access to a business was withdrawn or given, whichever process did it. */
export interface AccessChanges {
  /** False while changes could be missed. */
  readonly live: boolean;
  onChange(listener: (businessId: number) => void): void;
  /** Called after a time in which changes may have been missed. */
  onGap(listener: () => void): void;
}

/**
 * Remembers for a few seconds what keys open. A revoked key is dropped by its announcement; the short life
 * only bounds what a lost announcement could do. Unknown keys are never remembered: a new key works at once.
 */
export class CachedAppKeys implements AppKeys {
  private readonly known: LRUCache<string, KeyAccess>;
  /** Counts changes: an answer that was on its way while one happened is not kept. */
  private generation = 0;

  constructor(
    private readonly keys: AppKeys,
    private readonly changes: AccessChanges,
    private readonly digestOf: (key: string) => Buffer,
    settings: { readonly lifeMs: number; readonly size: number } = { lifeMs: 5_000, size: 10_000 },
  ) {
    this.known = new LRUCache({ max: settings.size, ttl: settings.lifeMs });
    changes.onChange((businessId) => this.drop(businessId));
    changes.onGap(() => this.dropAll());
  }

  async accessOf(key: string): Promise<KeyAccess | null> {
    if (!this.changes.live) return this.keys.accessOf(key);
    const digest = this.digestOf(key).toString("latin1");
    const known = this.known.get(digest);
    if (known) return known;
    const { generation } = this;
    const access = await this.keys.accessOf(key);
    if (access && generation === this.generation && this.changes.live) this.known.set(digest, access);
    return access;
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
