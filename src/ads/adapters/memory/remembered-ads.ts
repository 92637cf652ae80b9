import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { AdAccess, AdPlatform, CampaignPage, CampaignQuery } from "../../application/ports.ts";
import type { Ad, AdAccount, AdSet, Days, SpendDays } from "../../domain/ads.ts";

/** What the answers kept may take together, as `bytesOf` counts: one may be all ads of an account, with their links. */
const mostBytes = 64 * 2 ** 20;

/**
 * Asks the platform the same once in a while; questions at the same time share the answer. What is remembered belongs
 * to one business and one token: neither another business nor another token of the same one is ever answered with it.
 */
export class RememberedAds implements AdPlatform {
  private readonly answers: LRUCache<string, object>;
  private readonly underWay = new Map<string, Promise<object>>();

  /**
   * @param lifeMs - milliseconds for which an answer is good, from the question on
   * @param onFailure - hears of each question that the platform did not answer
   */
  constructor(
    private readonly platform: AdPlatform,
    lifeMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {
    const sizeCalculation = (answer: object, key: string) => bytesOf(key) + bytesOf(answer);
    this.answers = new LRUCache({ maxSize: mostBytes, sizeCalculation, ttl: lifeMs, ttlAutopurge: true });
  }

  campaigns(access: AdAccess, { accountId, spentOn, onlyActive, after }: CampaignQuery): Promise<CampaignPage> {
    const query = { accountId, spentOn, onlyActive, after };
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
    return this.once(access, ["ads", accountId, days.since, days.until], () =>
      this.platform.ads(access, accountId, days),
    );
  }

  private async once<Result extends object>(
    { businessId, token }: AdAccess,
    question: readonly unknown[],
    ask: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([businessId, hash("sha256", token), ...question]);
    const known = this.answers.get(key) ?? this.underWay.get(key);
    if (known) return known as Result | Promise<Result>;
    const asked = this.answerTo(key, ask).finally(() => this.underWay.delete(key));
    this.underWay.set(key, asked);
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

/** Roughly: a byte for each character, and what each value takes besides. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return bytesOfValue + value.length;
  if (typeof value !== "object" || value === null) return bytesOfValue;
  return Object.values(value).reduce((sum: number, part) => sum + bytesOf(part), bytesOfValue);
}
const bytesOfValue = 32;
