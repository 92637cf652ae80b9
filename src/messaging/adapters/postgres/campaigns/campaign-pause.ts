import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { campaignMove } from "./campaign-sql.ts";

export const pauseOne = statement("campaign_pauses_itself")`
  update campaigns set state = ${campaignMove.pause.to}, pause_reason = $3
  where business_id = $1 and id = $2 and state ${campaignMove.pause.from} returning id`;

/**
 * Pauses only campaigns of the sender's account, because another account may have a template with the same name.
 *
 * @param refused - SQL for one row: `sender_id`, and the template's `name`, `language` and `provider_b_id`
 */
const pausing = (name: string, refused: string): Statement => ({
  name,
  text: `
    with refused as (${refused}),
    locked as (
      select campaign.id
      from refused
      join senders as sender on sender.business_id = $1 and sender.id = refused.sender_id
      join senders as own on own.business_id = sender.business_id and own.provider = sender.provider
        and own.account_id = sender.account_id
      join campaigns as campaign on campaign.business_id = own.business_id and campaign.sender_id = own.id
      where campaign.state ${campaignMove.pause.from}
        and campaign.template->>'platformName' = refused.name
        and campaign.template->>'language' = refused.language
        and campaign.template->>'providerBId' is not distinct from refused.provider_b_id
      order by campaign.id
      for no key update of campaign
    )
    update campaigns as campaign set state = ${campaignMove.pause.to}, pause_reason = $3
    from locked where campaign.business_id = $1 and campaign.id = locked.id
    returning campaign.id`,
});

/** After a refused message of a campaign: pauses this campaign and the others with the same template. */
export const pauseTemplate = pausing(
  "campaign_pauses_template",
  `select sender_id, template->>'platformName' as name, template->>'language' as language,
          template->>'providerBId' as provider_b_id
   from campaigns where business_id = $1 and id = $2`,
);

/** After a refused message that belongs to no campaign: pauses the campaigns with the given template. */
export const pauseTemplateOfSender = pausing(
  "campaign_pauses_template_of_sender",
  "select $2::bigint as sender_id, $4::text as name, $5::text as language, $6::text as provider_b_id",
);
