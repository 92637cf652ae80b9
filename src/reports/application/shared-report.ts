import { baseCurrency } from "../../kernel/currency.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { timezoneOf } from "../../kernel/instants.ts";
import type { Money } from "../../kernel/money.ts";
import { ReportForAdministrators, ReportNotShared, ReportTooLarge } from "../domain/failures.ts";
import { groupOf } from "../domain/group.ts";
import { periodIn } from "../domain/period.ts";
import { meanOf, percentOf } from "../domain/rates.ts";
import type {
  AdFigures,
  AdInsight,
  BusinessReport,
  DailyFigures,
  RegistrationRecord,
  ReportedBusiness,
  Tally,
} from "../domain/report.ts";
import { plus } from "../domain/timeline.ts";
import type { AdInsights, AskedPeriod, CountedFigures, ReportReads, ReportRequest, StoredBusiness } from "./ports.ts";

/** The flags that a report may show. All others are private. */
const shownFlags = [
  "currency",
  "currency_conversion",
  "ad_account_for_report",
  "timezone",
  "template_language",
  "monthly_template_limit",
  "bot_inactivity_minutes",
  "tax_id_label",
] as const;

/** The most ad records in one report, for all its businesses together. */
const mostAdRecords = 100_000;

/**
 * §7: the figures of a group of businesses, in the order of the group. A method that refuses the request rejects with a
 * `ReportFailure`. Aborting `signal` ends the queries.
 */
export class SharedReport {
  constructor(
    private readonly reads: ReportReads,
    private readonly adInsights: AdInsights,
    /** Rejects if the work takes too long. */
    private readonly inTime: <Result>(work: Promise<Result>) => Promise<Result>,
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  async report(request: ReportRequest, signal?: AbortSignal): Promise<BusinessReport[]> {
    const asked = await this.asked(request, signal);
    const [figures, ads] = await Promise.all([this.reads.figures(asked, signal), this.adsOf(asked, signal)]);
    return reportsOf(asked, figures, ads);
  }

  /** Like `report`, but without the figures of ads, which take longest. */
  async figures(request: ReportRequest, signal?: AbortSignal): Promise<BusinessReport[]> {
    const asked = await this.asked(request, signal);
    return reportsOf(asked, await this.reads.figures(asked, signal), new Map());
  }

  /** Conversations, sales and quotations day by day. */
  async daily(request: ReportRequest, signal?: AbortSignal): Promise<DailyFigures[]> {
    const asked = await this.asked(request, signal);
    const days = groupBy(await this.reads.days(asked, signal), ({ businessId }) => businessId);
    return asked.map(({ business, businessId }) => ({
      business,
      days: (days.get(businessId) ?? []).map(({ businessId: _, ...day }) => day),
    }));
  }

  /** The businesses to report on, in the order of the group, each with the period in its own zone. */
  private async asked(
    { rootId, forAdministrator, startDate, endDate, include, orOwn = false }: ReportRequest,
    signal: AbortSignal | undefined,
  ): Promise<Asked[]> {
    const [root] = await this.reads.businesses([rootId], signal);
    if (!root) throw new ReportNotShared(`business ${rootId}`);
    if (root.flags.reports_for === "administrators" && !forAdministrator) {
      throw new ReportForAdministrators(`business ${rootId}`);
    }
    const { group_shared_report: shared = null } = root.flags;
    const group = orOwn && shared === null ? [rootId] : groupOf(shared);
    // Refuses an invalid date even if `include` names no business of the group.
    periodIn(timezoneOf(root.flags.timezone), startDate, endDate);
    const wanted = include ? group.filter((id) => include.includes(id)) : group;
    const stored = new Map((await this.reads.businesses(wanted, signal)).map((business) => [business.id, business]));
    return wanted.flatMap((id) => {
      const business = stored.get(id);
      return business ? [askedOf(business, startDate, endDate)] : [];
    });
  }

  private async adsOf(all: readonly Asked[], signal: AbortSignal | undefined): Promise<Map<number, ReportedAds>> {
    const asked = all.filter(({ adAccount }) => adAccount !== null);
    if (asked.length === 0) return new Map();
    const [records, insights] = await Promise.all([
      this.reads.adRecords(asked, mostAdRecords + 1, signal),
      Promise.all(asked.map((each) => this.insightsOf(each))),
    ]);
    if (records.length > mostAdRecords) throw new ReportTooLarge("records", mostAdRecords);
    const ofBusiness = groupBy(records, ({ businessId }) => businessId);
    return new Map(
      asked.map(({ businessId }, index) => {
        const ads = adFigures(ofBusiness.get(businessId) ?? [], insights[index] ?? []);
        return [businessId, { ads, isAdPlatformSilent: !insights[index] }];
      }),
    );
  }

  /** Null if the call fails or takes too long. The report is then made without the platform's details of ads. */
  private async insightsOf({ businessId, adAccount, period }: Asked): Promise<readonly AdInsight[] | null> {
    if (period.until <= period.from) return [];
    try {
      return await this.inTime(this.adInsights.adsOf(businessId, adAccount ?? "", period));
    } catch (error) {
      this.onFailure(error, businessId);
      return null;
    }
  }
}

type ReportedAds = Pick<BusinessReport, "ads" | "isAdPlatformSilent">;

/** For a business without an ad account, or for a report that was requested without ads. */
const noAccount: ReportedAds = { ads: null, isAdPlatformSilent: false };

interface Asked extends AskedPeriod {
  readonly business: ReportedBusiness;
  readonly adAccount: string | null;
}

function askedOf({ id, name, imageUrl, flags }: StoredBusiness, startDate: string, endDate: string): Asked {
  const timezone = timezoneOf(flags.timezone);
  const currency = baseCurrency(flags.currency);
  const shown = shownFlags.flatMap((flag) => (Object.hasOwn(flags, flag) ? [[flag, flags[flag]] as const] : []));
  const account = flags.ad_account_for_report;
  return {
    businessId: id,
    timezone,
    currency,
    period: periodIn(timezone, startDate, endDate),
    business: { id, name, imageUrl, currency, timezone, flags: { ...Object.fromEntries(shown), currency, timezone } },
    adAccount: (typeof account === "string" && account !== "") || typeof account === "number" ? String(account) : null,
  };
}

function reportsOf(
  asked: readonly Asked[],
  figures: readonly CountedFigures[],
  ads: ReadonlyMap<number, ReportedAds>,
): BusinessReport[] {
  const counted = new Map(figures.map((each) => [each.businessId, each]));
  return asked.flatMap((each) => {
    const found = counted.get(each.businessId);
    return found ? [reportOf(each, found, ads.get(each.businessId) ?? noAccount)] : [];
  });
}

function reportOf(asked: Asked, counted: CountedFigures, ads: ReportedAds): BusinessReport {
  const { conversations, temperatures, tags, agents } = counted;
  const sales = { ...counted.sales, all: plus(counted.sales.fromAds, counted.sales.organic) };
  const { fromAds, organic } = counted.quotations;
  const quotations = {
    ...plus(fromAds, organic),
    fromPdf: plus(fromAds.fromPdf, organic.fromPdf),
    fromMessage: plus(fromAds.fromMessage, organic.fromMessage),
  };
  return {
    business: asked.business,
    period: asked.period,
    conversations,
    sales,
    quotations: { all: quotations, fromAds, organic },
    rates: {
      salesPerConversation: percentOf(sales.all.count, conversations),
      quotationsPerConversation: percentOf(quotations.count, conversations),
      salesPerQuotation: percentOf(sales.all.count, quotations.count),
    },
    temperatures: { ai: meanOf(temperatures.ai), agent: meanOf(temperatures.agent) },
    tags,
    agents,
    ...ads,
  };
}

/** Every ad with a record or with spend, sorted by the number of sales (most first), then by id. */
function adFigures(records: readonly RegistrationRecord[], insights: readonly AdInsight[]): AdFigures[] {
  const known = new Map(insights.map((insight) => [insight.adId, insight]));
  const ofAd = groupBy(records, ({ adId }) => adId ?? "");
  const spenders = insights.filter(({ spend }) => spend !== null && spend > 0).map(({ adId }) => adId);
  return [...new Set([...spenders, ...ofAd.keys()])]
    .map((adId) => {
      const list = ofAd.get(adId) ?? [];
      return {
        ...(known.get(adId) ?? { adId, name: null, imageUrl: null, spend: null, currency: null }),
        sales: tally(list.filter(({ type, closed }) => type === "sale" && closed)),
        quotations: tally(list.filter(({ type }) => type === "quotation")),
        records: list,
      };
    })
    .sort((a, b) => b.sales.count - a.sales.count || (a.adId < b.adId ? -1 : 1));
}

const tally = (records: readonly RegistrationRecord[]): Tally => ({
  count: records.length,
  amount: records.reduce((total: Money, { baseAmount }) => total + (baseAmount ?? 0n), 0n),
});
