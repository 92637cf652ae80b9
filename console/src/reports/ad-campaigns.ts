import { answered, api, type paths } from "../shared/api.ts";
import type { Days } from "./periods.ts";

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Content } } } };
}
  ? Content
  : never;
type CampaignPage = Answer<"/empresas/campaigns/{businessId}">;
export type Campaign = CampaignPage["data"][number];
type AdSet = Answer<"/empresas/campaigns/{businessId}/{campaignId}">["data"][number];
type Insights = AdSet["insights"];

/** Asks for the spend of exactly these days, since it is shown beside the sales of the same days. */
const bounds = ({ from, to }: Days) => ({ datePreset: "period", start: from, end: to }) as const;

export async function fetchAccounts(businessId: number) {
  const { data } = await answered(
    api.GET("/empresas/campaigns/{businessId}/accounts", { params: { path: { businessId } } }),
  );
  return data;
}

export interface CampaignsAsked extends Days {
  readonly accountId: string;
  readonly isActive: boolean;
}

export const fetchCampaigns = (
  businessId: number,
  { accountId, isActive, ...days }: CampaignsAsked,
  after: string | null,
): Promise<CampaignPage> =>
  answered(
    api.GET("/empresas/campaigns/{businessId}", {
      params: {
        path: { businessId },
        query: { ...bounds(days), accountId, showOnlyActives: isActive, ...(after !== null && { after }) },
      },
    }),
  );

export async function fetchAdSets(
  businessId: number,
  campaignId: string,
  { accountId, ...days }: Omit<CampaignsAsked, "isActive">,
): Promise<readonly AdSet[]> {
  const { data } = await answered(
    api.GET("/empresas/campaigns/{businessId}/{campaignId}", {
      params: { path: { businessId, campaignId }, query: { ...bounds(days), accountId } },
    }),
  );
  return data;
}

/** The figures of a campaign, ad set or ad. */
export interface Spender {
  readonly id: string;
  readonly name: string;
  readonly status: string | null;
  readonly spend: number;
  readonly currency: string | null;
  readonly sales: number;
  readonly quotations: number;
  readonly conversations: number;
}

type Ads = Campaign["ads"]["data"];

const spenderOf = (
  { id, name, insights }: { readonly id: string; readonly name: string; readonly insights: Insights },
  ads: Pick<Ads[number], "ventas" | "cotizaciones" | "mensajes_iniciados" | "insights">[],
  status: string | null,
): Spender => {
  // If the platform gives no total, the spend of the ads is summed.
  const rows = insights.data.length > 0 ? insights.data : ads.flatMap(({ insights: { data } }) => data);
  return {
    id,
    name,
    status,
    spend: rows.reduce((sum, { spend }) => sum + Math.round(Number(spend) * 1e6), 0) / 1e6,
    currency: rows[0]?.account_currency ?? null,
    sales: ads.reduce((sum, { ventas }) => sum + ventas, 0),
    quotations: ads.reduce((sum, { cotizaciones }) => sum + cotizaciones, 0),
    conversations: ads.reduce((sum, { mensajes_iniciados }) => sum + mensajes_iniciados, 0),
  };
};

export const ofCampaign = (each: Campaign): Spender => spenderOf(each, each.ads.data, each.status);
export const ofAdSet = (each: AdSet): Spender => spenderOf(each, each.ads.data, null);
export const adsOf = (adSets: readonly AdSet[]): (Spender & { readonly adSet: string })[] =>
  adSets.flatMap(({ name, ads }) => ads.data.map((ad) => ({ ...spenderOf(ad, [ad], null), adSet: name })));
