import { dayOf } from "../../kernel/instants.ts";
import { type Ad, accountIdOf, spendNumber, spent } from "../domain/ads.ts";
import { accessOf, shownOr } from "./access.ts";
import type { AdCredentials, AdPlatform } from "./ports.ts";

interface ReportedAd {
  readonly adId: string;
  readonly name: string;
  readonly imageUrl: string | null;
  /** At most two decimals. */
  readonly spend: number;
  /** Null if the ad was not shown. */
  readonly currency: string | null;
}

/** The spend of an account's ads in a period, for reports. */
export class ReportedAds {
  constructor(
    private readonly credentials: AdCredentials,
    private readonly platform: Pick<AdPlatform, "ads">,
  ) {}

  /**
   * Returns all ads of an account with their spend from `from` until before `until`. The platform reports only whole
   * days, so the spend covers the whole first and the whole last day. The business's zone decides the dates, but the
   * platform counts each date on the ad account's clock. Returns an empty list if the platform does not show the
   * account. Rejects with `BusinessNotFound`, `MissingToken`, `AdPlatformBusy` or `AdPlatformUnavailable`.
   */
  async adsOf(
    businessId: number,
    accountId: string,
    { from, until }: { readonly from: Date; readonly until: Date },
  ): Promise<readonly ReportedAd[]> {
    const { access, settings } = await accessOf(this.credentials, businessId);
    const lastMoment = new Date(until.getTime() - 1);
    const days = { since: dayOf(from, settings.timezone), until: dayOf(lastMoment, settings.timezone) };
    const ads = await shownOr(this.platform.ads(access, accountIdOf(accountId), days), []);
    return ads.map(reported);
  }
}

function reported({ id, name, insights, creatives: [creative] }: Ad): ReportedAd {
  const imageUrl = creative?.imageUrl ?? creative?.thumbnailUrl ?? null;
  return { adId: id, name, imageUrl, spend: spendNumber(spent(insights)), currency: insights[0]?.currency ?? null };
}
