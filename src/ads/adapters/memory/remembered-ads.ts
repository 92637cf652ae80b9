import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { AdAccess, AdPlatform, CampaignPage, CampaignQuery } from "../../application/ports.ts";
import type { Ad, AdAccount, AdSet, Days, SpendDays } from "../../domain/ads.ts";

/** The most bytes of all kept answers together, as estimated by `bytesOf`. One answer may have thousands of ads. */
const mostBytes = 64 * 2 ** 20;

/**
 * Caches the platform's answers for a short time. Equal questions at the same time share one answer. An answer
 * belongs to one business and one token: no other business, and no other token of the same business, ever gets it.
 */
export class RememberedAds implements AdPlatform {
  private readonly answers: LRUCache<string, object>;
  private readonly pending = new Map<string, Promise<object>>();

  /**
   * @param lifeMs - milliseconds for which an answer is kept, counted from the start of its question
   * @param onFailure - called with the error of each question that fails
   */
  constructor(
    private readonly platform: AdPlatform,
    lifeMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {
    const sizeCalculation = (answer: object, key: string) => bytesOf(key) + bytesOf(answer);
    this.answers = new LRUCache({ maxSize: mostBytes, sizeCalculation, ttl: lifeMs, ttlAutopurge: true });
  }

  campaigns(access: AdAccess, query: CampaignQuery): Promise<CampaignPage> {
    return this.once(access, ["campaigns", query], () => this.platform.campaigns(access, query));
  }

  adSets(
    access: AdAccess,
    campaignId: string,
    spentOn: SpendDays,
    accountId: string | null,
  ): Promise<readonly AdSet[]> {
    return this.once(access, ["adSets", campaignId, spentOn, accountId], () =>
      this.platform.adSets(access, campaignId, spentOn, accountId),
    );
  }

  accounts(access: AdAccess): Promise<readonly AdAccount[]> {
    return this.once(access, ["accounts"], () => this.platform.accounts(access));
  }

  ads(access: AdAccess, accountId: string, days: Days): Promise<readonly Ad[]> {
    return this.once(access, ["ads", accountId, days], () => this.platform.ads(access, accountId, days));
  }

  private async once<Result extends object>(
    { businessId, token }: AdAccess,
    question: readonly unknown[],
    ask: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([businessId, hash("sha256", token), ...question]);
    const known = this.answers.get(key) ?? this.pending.get(key);
    if (known) return known as Result | Promise<Result>;
    const asked = this.answerTo(key, ask).finally(() => this.pending.delete(key));
    this.pending.set(key, asked);
    return asked;
  }

  private async answerTo<Result extends object>(key: string, ask: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      const answer = await ask();
      this.answers.set(key, answer, { start });
      return answer;
    } catch (error) {
      this.onFailure(error);
      throw error;
    }
  }
}

/** An estimate: a byte for each character, and a fixed size for each value. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return bytesOfValue + value.length;
  if (typeof value !== "object" || value === null) return bytesOfValue;
  return Object.values(value).reduce((sum: number, part) => sum + bytesOf(part), bytesOfValue);
}
const bytesOfValue = 32;
