import { LRUCache } from "lru-cache";
import type { KnownTemplates, MessagingPlatform, PlatformAccount } from "../../application/ports.ts";
import type { PlatformTemplate } from "../../domain/platform.ts";

const lifeMs = 60_000;

/** Asks the platform once a minute for each name; requests at the same time share the question. */
export class RememberedTemplates implements KnownTemplates {
  private readonly remembered = new LRUCache<string, Promise<PlatformTemplate[]>>({ max: 10_000, ttl: lifeMs });

  constructor(private readonly platform: Pick<MessagingPlatform, "listTemplates">) {}

  named(account: PlatformAccount, name: string): Promise<PlatformTemplate[]> {
    const key = JSON.stringify([account.accountId, name]);
    const known = this.remembered.get(key);
    if (known) return known;
    const asked = this.platform.listTemplates(account, { name });
    this.remembered.set(key, asked);
    asked.catch(() => this.remembered.delete(key));
    return asked;
  }
}
