import { type AdWithFigures, accountIdOf, type CampaignFacts, type Spend, spent, withFigures } from "../domain/ads.ts";
import { type AskedPeriod, type Period, periodsIn } from "../domain/period.ts";
import { accessOf, shownOr } from "./access.ts";
import type { AdCredentials, AdPlatform, AdSales, CampaignPage } from "./ports.ts";

interface ListCampaignsQuery extends AskedPeriod {
  readonly businessId: number;
  readonly accountId: string;
  readonly onlyActive: boolean;
  readonly after: string | null;
}

interface ListedCampaign extends CampaignFacts {
  /** The sales of all ads of the campaign. */
  readonly sales: number;
  readonly quotations: number;
  readonly spend: Spend;
  readonly ads: readonly AdWithFigures[];
}

/** One page. The totals are the sums of its campaigns only, not of the whole account. */
export interface ListedCampaigns {
  readonly campaigns: readonly ListedCampaign[];
  readonly totalSales: number;
  readonly totalQuotations: number;
  readonly totalSpend: Spend;
  readonly next: string | null;
}

/** A request that finds only pages without campaigns to show ends after this many pages or milliseconds. */
const mostPages = 10;
const patienceMs = 5_000;

/** §15: a page of an account's campaigns that have spend, sales or quotations. */
export class ListCampaigns {
  constructor(
    private readonly credentials: AdCredentials,
    private readonly platform: Pick<AdPlatform, "campaigns">,
    private readonly sales: AdSales,
  ) {}

  async execute(query: ListCampaignsQuery): Promise<ListedCampaigns> {
    const { access, settings } = await accessOf(this.credentials, query.businessId);
    const { period, spentOn } = periodsIn(settings.timezone, query);
    const { businessId, onlyActive } = query;
    const accountId = accountIdOf(query.accountId);
    const giveUpAt = performance.now() + patienceMs;
    let after = query.after;
    for (let read = 1; ; read += 1) {
      const asked = this.platform.campaigns(access, { accountId, spentOn, onlyActive, after });
      const page = await shownOr(asked, { campaigns: [], next: null });
      const campaigns = await this.listed(businessId, page, period);
      const isEnough = campaigns.length > 0 || read === mostPages || performance.now() > giveUpAt;
      if (isEnough || page.next === null) return sumUp(campaigns, page.next);
      after = page.next;
    }
  }

  private async listed(businessId: number, page: CampaignPage, period: Period): Promise<ListedCampaign[]> {
    const adIds = page.campaigns.flatMap(({ ads }) => ads.map(({ id }) => id));
    const figures = await this.sales.byAd(businessId, adIds, period);
    return page.campaigns.flatMap((campaign) => {
      const ads = withFigures(campaign.ads, figures);
      if (!ads.some(hasFigures)) return [];
      return [
        {
          ...campaign,
          ads,
          sales: sumOf(ads, "sales"),
          quotations: sumOf(ads, "quotations"),
          spend: spent(campaign.insights.length > 0 ? campaign.insights : ads.flatMap(({ insights }) => insights)),
        },
      ];
    });
  }
}

const hasFigures = ({ insights, figures }: AdWithFigures): boolean =>
  spent(insights) > 0n || figures.sales > 0 || figures.quotations > 0;

const sumOf = (ads: readonly AdWithFigures[], figure: "sales" | "quotations"): number =>
  ads.reduce((sum, { figures }) => sum + figures[figure], 0);

const sumUp = (campaigns: readonly ListedCampaign[], next: string | null): ListedCampaigns => ({
  campaigns,
  totalSales: campaigns.reduce((sum, { sales }) => sum + sales, 0),
  totalQuotations: campaigns.reduce((sum, { quotations }) => sum + quotations, 0),
  totalSpend: campaigns.reduce((sum, { spend }) => sum + spend, 0n),
  next,
});
