import { plainArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { cloudChannel } from "../../../../kernel/channels.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import { stoppedStatuses, type TemplateNews } from "../../../domain/platform.ts";
import { campaignMove } from "../campaigns/campaign-sql.ts";

const given = `
  given as (
    select * from jsonb_to_recordset($1::jsonb) as news(
      account text, "platformId" text, name text, language text, at timestamptz, status text, reason text, category text)
  ),
  whose as (
    select distinct sender.business_id, given.*, to_jsonb(given.category) as "categoryAsJson" from given
    join senders as sender on sender.provider = '${cloudChannel}' and sender.account_id = given.account
    where sender.business_id <> all($2::bigint[])
  )`;

/** The language in which the business of the row `template` sends templates that have no language. */
export const preferredLanguageOf = (template: string): string => `(
  select coalesce(business.feature_flags->>'template_language', 'es') from businesses as business
  where business.id = ${template}.business_id)`;

/** The reason for a pause, from the status and reason in the row `told`. */
export const whyStopped = (told: string): string =>
  `'the platform has the template ' || lower(${told}.status) || coalesce(': ' || ${told}.reason, '')`;

/** The account that has the business's templates: the account of the business's first number on the cloud channel. */
const accountOfTemplates = `(
  select sender.account_id from senders as sender
  where sender.business_id = whose.business_id and sender.provider = '${cloudChannel}' order by sender.id limit 1)`;

/**
 * True if the report in the row `whose` concerns the row `template`. A name counts only within its account: another
 * account may have a template with the same name. A template without a language has the business's preferred language.
 */
const isMeant = `
  template.business_id = whose.business_id and template.provider = 'Cloud'
  and (template.platform_id = whose."platformId"
       or template.platform_name = whose.name and whose.account = ${accountOfTemplates}
          and coalesce(template.structure->>'language', ${preferredLanguageOf("template")}) = whose.language)`;

/** Locks the templates in the order of their ids. Without these locks, parallel reports could deadlock. */
const lock = statement("template_news_lock")`
  with ${given}
  select template.id from templates as template
  where exists (select 1 from whose where ${isMeant})
    and template.business_id in (select business_id from whose)
  order by template.business_id, template.id
  for no key update of template`;

/** Ignores reports that are older than the stored one. */
const applyStatus = statement("template_news_state")`
  with ${given}
  update templates as template
  set platform_id = case when whose.status is not null then coalesce(template.platform_id, whose."platformId") end,
      platform_status = whose.status, platform_reason = whose.reason, platform_changed_at = whose.at,
      record_version = template.record_version + 1
  from whose
  where ${isMeant} and (template.platform_changed_at is null or template.platform_changed_at <= whose.at)`;

const applyCategory = statement("template_news_category")`
  with ${given}
  update templates as template
  set structure = jsonb_set(template.structure, '{category}', whose."categoryAsJson"),
      record_version = template.record_version + 1, updated_at = now()
  from whose
  where ${isMeant} and template.structure is not null
    and template.structure->>'category' is distinct from whose.category`;

/** Pauses the campaigns that have a copy of a stopped template. Skips a report if a newer one is stored. */
const pause = statement("template_news_pause")`
  with ${given},
  stopped as (
    select distinct on (campaign.business_id, campaign.id) campaign.business_id, campaign.id,
           ${whyStopped("whose")} as why
    from whose join campaigns as campaign
      on campaign.business_id = whose.business_id and campaign.state ${campaignMove.pause.from}
         and campaign.template->>'platformName' = whose.name and campaign.template->>'language' = whose.language
         and campaign.template->>'providerBId' is null
    join senders as sender
      on sender.business_id = campaign.business_id and sender.id = campaign.sender_id
         and sender.provider = '${cloudChannel}' and sender.account_id = whose.account
    where not exists (select 1 from templates as template where ${isMeant} and template.platform_changed_at > whose.at)
    order by campaign.business_id, campaign.id, whose.at desc
  ),
  locked as (
    select campaign.business_id, campaign.id, stopped.why
    from stopped join campaigns as campaign on campaign.business_id = stopped.business_id and campaign.id = stopped.id
    where campaign.state ${campaignMove.pause.from}
    order by campaign.business_id, campaign.id
    for no key update of campaign
  )
  update campaigns as campaign set state = ${campaignMove.pause.to}, pause_reason = locked.why
  from locked where campaign.business_id = locked.business_id and campaign.id = locked.id
  returning campaign.business_id as "businessId", campaign.id`;

/** Applies webhooks about templates: review status and category. Pauses campaigns whose template was stopped. */
export class PostgresTemplateNews {
  constructor(private readonly transaction: Queries) {}

  /**
   * Returns the paused campaigns, by business.
   *
   * @param elsewhere - businesses that have rows in this cell but live in another cell; they are skipped
   */
  async apply(
    news: readonly TemplateNews[],
    elsewhere: readonly number[] = [],
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const skipped = plainArray(elsewhere);
    const inOrder = news.toSorted((one, other) => one.at.getTime() - other.at.getTime());
    await this.transaction.rows(lock, [JSON.stringify(inOrder), skipped]);
    for (const each of inOrder) {
      const statement = each.category === undefined ? applyStatus : applyCategory;
      await this.transaction.rows(statement, [JSON.stringify([each]), skipped]);
    }
    // Of several reports on one template, the last one counts.
    const last = new Map(inOrder.filter(({ status }) => status !== undefined).map((each) => [keyOf(each), each]));
    const stopped = [...last.values()].filter(({ status }) => stoppedStatuses.includes(status ?? ""));
    if (stopped.length === 0) return new Map();
    const rows = await this.transaction.rows<{ businessId: number; id: number }>(pause, [
      JSON.stringify(stopped),
      skipped,
    ]);
    const byBusiness = groupBy(rows, ({ businessId }) => businessId);
    return new Map([...byBusiness].map(([businessId, own]) => [businessId, own.map(({ id }) => id)]));
  }
}

const keyOf = ({ account, name, language }: TemplateNews): string => JSON.stringify([account, name, language]);
