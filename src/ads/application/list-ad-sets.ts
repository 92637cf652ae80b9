import { type AdSet, type AdWithFigures, accountIdOf, withFigures } from "../domain/ads.ts";
import { type AskedPeriod, periodsIn } from "../domain/period.ts";
import { accessOf, shownOr } from "./access.ts";
import type { AdCredentials, AdPlatform, AdSales } from "./ports.ts";

interface ListAdSetsQuery extends AskedPeriod {
  readonly businessId: number;
  readonly campaignId: string;
  /** Null means the business's default account. */
  readonly accountId: string | null;
}

export interface ListedAdSet extends AdSet {
  readonly ads: readonly AdWithFigures[];
  /** The sales of all ads of the campaign. */
  readonly campaignSales: number;
}

/** §16: the ad sets of a campaign, with the figures of each ad. */
export class ListAdSets {
  constructor(
    private readonly credentials: AdCredentials,
    private readonly platform: Pick<AdPlatform, "adSets">,
    private readonly sales: AdSales,
  ) {}

  async execute(query: ListAdSetsQuery): Promise<ListedAdSet[]> {
    const { businessId, campaignId } = query;
    const { access, settings } = await accessOf(this.credentials, businessId);
    const { period, spentOn } = periodsIn(settings.timezone, query);
    const given = query.accountId ?? settings.defaultAccountId;
    const accountId = given === null ? null : accountIdOf(given);
    const adSets = await shownOr(this.platform.adSets(access, campaignId, spentOn, accountId), []);
    const inAccount = adSets.filter((adSet) => isIn(adSet, accountId));
    const adIds = inAccount.flatMap(({ ads }) => ads.map(({ id }) => id));
    const figures = await this.sales.byAd(businessId, adIds, period);
    const campaignSales = [...figures.values()].reduce((sum, { sales }) => sum + sales, 0);
    return inAccount.map((adSet) => ({ ...adSet, campaignSales, ads: withFigures(adSet.ads, figures) }));
  }
}

const isIn = ({ accountId }: AdSet, wanted: string | null): boolean =>
  wanted === null || accountId === null || accountIdOf(accountId) === wanted;
