import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import type { TemplateUsage } from "../../../application/sends/ports.ts";

/** The row's lock makes parallel requests wait for each other, so that the limit is never exceeded. */
const reserve: Statement = {
  name: "template_usage_reserve",
  text: `
    with business as (
      select id, monthly_template_limit(feature_flags) as most,
             date_trunc('month', now() at time zone business_zone(feature_flags))::date as month
      from businesses where id = $1
    )
    insert into template_usage as usage (business_id, month, used)
    select id, month, 1 from business where coalesce(most, 1) >= 1
    on conflict (business_id, month) do update set used = usage.used + 1
    where (select most from business) is null or usage.used < (select most from business)
    returning month::text as month`,
};

const release: Statement = {
  name: "template_usage_release",
  text: `
    update template_usage set used = used - 1
    where business_id = $1 and month = $2::date and used > 0 returning used`,
};

export class PostgresTemplateUsage implements TemplateUsage {
  constructor(private readonly cells: Cells) {}

  async reserve(businessId: number): Promise<string | null> {
    const [row] = await this.cells.of(businessId).rows<{ month: string }>(reserve, [businessId]);
    return row?.month ?? null;
  }

  async release(businessId: number, month: string): Promise<void> {
    await this.cells.of(businessId).rows(release, [businessId, month]);
  }
}
