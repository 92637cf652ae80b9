import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { AdAccess, AdPlatform, CampaignPage, CampaignQuery, Days } from "../../application/ports.ts";
import type { Ad, AdAccount, AdSet, DatePreset } from "../../domain/ads.ts";

/** Answers kept; each may hold a whole page of campaigns. */
const mostAnswers = 1_000;

/**
 * Asks the platform the same once in a while; questions at the same time share the answer. What is remembered belongs
 * to one business and one token: neither another business nor another token of the same one is ever answered with it.
 */
export class RememberedAds implements AdPlatform {
  private readonly answers: LRUCache<string, Promise<object>>;

  /**
   * @param lifeMs - milliseconds for which an answer is good, from the question on
   * @param onFailure - hears of each question that the platform did not answer
   */
  constructor(
    private readonly platform: AdPlatform,
    lifeMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.answers = new LRUCache({ max: mostAnswers, ttl: lifeMs });
  }

  campaigns(access: AdAccess, { accountId, preset, onlyActive, after }: CampaignQuery): Promise<CampaignPage> {
    const query = { accountId, preset, onlyActive, after };
    return this.once(access, ["campaigns", query], () => this.platform.campaigns(access, query));
  }

  adSets(
    access: AdAccess,
    campaignId: string,
    preset: DatePreset,
    accountId: string | null,
  ): Promise<readonly AdSet[]> {
    return this.once(access, ["adSets", campaignId, preset, accountId], () =>
      this.platform.adSets(access, campaignId, preset, accountId),
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

  private once<Result extends object>(
    { businessId, token }: AdAccess,
    question: readonly unknown[],
    ask: () => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([businessId, hash("sha256", token), ...question]);
    const known = this.answers.get(key);
    if (known) return known as Promise<Result>;
    const asked = ask();
    this.answers.set(key, asked);
    asked.catch((error: unknown) => {
      if (this.answers.peek(key) === asked) this.answers.delete(key);
      this.onFailure(error);
    });
    return asked;
  }
}
