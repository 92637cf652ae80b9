import { LRUCache } from "lru-cache";
import type { Sender } from "../../application/sends/ports.ts";
import type { CachedTemplates, MessagingPlatform } from "../../application/templates/ports.ts";
import type { PlatformTemplate } from "../../domain/platform.ts";

const lifeMs = 60_000;

/** Remembers an account's templates of one name for a minute. Simultaneous requests share one call. */
export class TemplateCache implements CachedTemplates {
  private readonly remembered = new LRUCache<string, Promise<PlatformTemplate[]>>({ max: 10_000, ttl: lifeMs });

  /** @param onFailure - called with the error of each failed call to the platform */
  constructor(
    private readonly platform: MessagingPlatform,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  named(sender: Sender, name: string): Promise<PlatformTemplate[]> {
    const key = JSON.stringify([sender.accountId, name]);
    const known = this.remembered.get(key);
    if (known) return known;
    const asked = this.platform.listTemplates(sender, { name });
    this.remembered.set(key, asked);
    asked.catch((error: unknown) => {
      this.remembered.delete(key);
      this.onFailure(error);
    });
    return asked;
  }
}
