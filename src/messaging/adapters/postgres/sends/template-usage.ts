import type { Cells } from "../../../../infra/postgres/cells.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { TemplateUsage } from "../../../application/sends/ports.ts";

/** `most` is the monthly limit; null without a limit. `month` is the present month in the business's time zone. */
const business = `
  business as materialized (
    select id, monthly_template_limit(feature_flags) as most,
           date_trunc('month', now() at time zone business_zone(feature_flags))::date as month
    from businesses where id = $1
  )`;

/** The row's lock makes parallel requests wait for each other, so that the limit is never exceeded. */
const reserve = statement("template_usage_reserve")`
  with ${business},
  reserved as (
    update template_usage as usage set used = usage.used + 1
    from business
    where usage.business_id = business.id and usage.month = business.month
      and (business.most is null or usage.used < business.most)
    returning usage.month
  )
  select month::text as month from reserved`;

/** Counts the business's first template of a month, for which there is no row yet. */
const begin = statement("template_usage_begin")`
  with ${business},
  begun as (
    insert into template_usage (business_id, month, used)
    select id, month, 1 from business where coalesce(most, 1) >= 1
    on conflict (business_id, month) do nothing
    returning month
  )
  select month::text as month from begun`;

const release = statement("template_usage_release")`
  update template_usage set used = used - 1
  where business_id = $1 and month = $2::date and used > 0 returning used`;

export class PostgresTemplateUsage implements TemplateUsage {
  constructor(private readonly cells: Cells) {}

  async reserve(businessId: number): Promise<string | null> {
    const cell = this.cells.of(businessId);
    // If there was no row, another request may insert it before `begin` does. The second `reserve` then finds that row.
    for (const statement of [reserve, begin, reserve]) {
      const [row] = await cell.rows<{ month: string }>(statement, [businessId]);
      if (row) return row.month;
    }
    return null;
  }

  async release(businessId: number, month: string): Promise<void> {
    await this.cells.of(businessId).rows(release, [businessId, month]);
  }
}
