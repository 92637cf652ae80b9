import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ReviewedTemplate } from "../../../application/templates/ports.ts";
import { stoppedStatuses } from "../../../domain/platform.ts";
import { campaignMove } from "../campaigns/campaign-sql.ts";
import { preferredLanguageOf, whyStopped } from "./template-news.ts";

/**
 * Pauses the campaigns that have a copy of a template that the platform lists as stopped. Skips a template if the
 * platform reported on that template after the list was read.
 */
const pause = statement("listed_templates_pause")`
  with told as (
    select * from jsonb_to_recordset($2::jsonb) as told(name text, language text, status text, reason text)
  ),
  locked as (
    select campaign.id, ${whyStopped("told")} as why
    from told join campaigns as campaign
      on campaign.business_id = $1 and campaign.state ${campaignMove.pause.from}
         and campaign.template->>'platformName' = told.name and campaign.template->>'language' = told.language
         and campaign.template->>'providerBId' is null
    where not exists (
      select 1 from templates as template
      where template.business_id = $1 and template.provider = 'Cloud' and template.platform_name = told.name
        and coalesce(template.structure->>'language', ${preferredLanguageOf("template")}) = told.language
        and template.platform_changed_at > $3::timestamptz)
    order by campaign.id
    for no key update of campaign
  )
  update campaigns as campaign set state = ${campaignMove.pause.to}, pause_reason = locked.why
  from locked where campaign.business_id = $1 and campaign.id = locked.id
  returning campaign.id`;

/** The campaigns that send the business's templates. */
export class PostgresTemplateCampaigns {
  constructor(private readonly transaction: Queries) {}

  /** Pauses the campaigns whose template is listed with a stopped status, and returns their ids. */
  async pauseStopped(businessId: number, listed: readonly ReviewedTemplate[], readAt: Date): Promise<number[]> {
    const stopped = listed.filter(({ status }) => stoppedStatuses.includes(status));
    if (stopped.length === 0) return [];
    const told = stopped.map(({ name, language, status, reason }) => ({ name, language, status, reason }));
    const values = [businessId, JSON.stringify(told), readAt];
    return (await this.transaction.rows<{ id: number }>(pause, values)).map(({ id }) => id);
  }
}
