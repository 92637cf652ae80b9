import type { Cells } from "../../../infra/postgres/cells.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { AdSales } from "../../application/ports.ts";
import type { AdOutcome } from "../../domain/ads.ts";
import type { Period } from "../../domain/period.ts";

const byAd = statement("ad_sales_by_ad")`
  select ad_id as "adId", sum(sales)::int as sales, sum(quotations)::int as quotations,
         sum(conversations)::int as conversations
  from (
    select ad_id, count(*) filter (where type = 'sale' and closed) as sales,
           count(*) filter (where type = 'quotation') as quotations, 0 as conversations
    from registrations
    where business_id = $1 and ad_id = any($2)
      and ($3::timestamptz is null or at >= $3)
      and ($4::timestamptz is null or at < $4)
    group by ad_id
    union all
    select ad_id, 0, 0, count(*)
    from conversations
    where business_id = $1 and ad_id = any($2)
      and ($3::timestamptz is null or created_at >= $3)
      and ($4::timestamptz is null or created_at < $4)
    group by ad_id
  ) as counts
  group by ad_id`;

export class PostgresAdSales implements AdSales {
  constructor(private readonly cells: Cells) {}

  async byAd(businessId: number, adIds: readonly string[], { from, until }: Period): Promise<Map<string, AdOutcome>> {
    if (adIds.length === 0) return new Map();
    const rows = await this.cells
      .of(businessId)
      .rows<AdOutcome & { readonly adId: string }>(byAd, [businessId, adIds, from, until]);
    return new Map(rows.map(({ adId, ...figures }) => [adId, figures]));
  }
}
