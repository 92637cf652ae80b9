import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type { PauseReason } from "../../../application/campaigns/ports.ts";
import { campaignMove } from "./campaign-sql.ts";

const pauseOne: Statement = {
  name: "campaign_pauses_itself",
  text: `
    update campaigns set state = ${campaignMove.pause.to}, pause_reason = $3
    where business_id = $1 and id = $2 and state ${campaignMove.pause.from} returning id`,
};

/** Of the same account: another one may have a template of that name as well. */
const pauseTemplate: Statement = {
  name: "campaign_pauses_template",
  text: `
    with locked as (
      select campaign.id
      from campaigns as refused
      join senders as sender on sender.business_id = refused.business_id and sender.id = refused.sender_id
      join senders as own on own.business_id = sender.business_id and own.provider = sender.provider
        and own.account_id = sender.account_id
      join campaigns as campaign on campaign.business_id = own.business_id and campaign.sender_id = own.id
      where refused.business_id = $1 and refused.id = $2 and campaign.state ${campaignMove.pause.from}
        and campaign.template->>'platformName' = refused.template->>'platformName'
        and campaign.template->>'language' = refused.template->>'language'
        and campaign.template->>'providerBId' is not distinct from refused.template->>'providerBId'
      order by campaign.id
      for no key update of campaign
    )
    update campaigns as campaign set state = ${campaignMove.pause.to}, pause_reason = $3
    from locked where campaign.business_id = $1 and campaign.id = locked.id
    returning campaign.id`,
};

/** Returns the campaigns that it paused: the one whose message was refused, or all with its template. */
export async function pauseRefused(
  queries: Queries,
  businessId: number,
  campaignId: number,
  { reason, concerns }: PauseReason,
): Promise<number[]> {
  const statement = concerns === "template" ? pauseTemplate : pauseOne;
  const rows = await queries.rows<{ id: number }>(statement, [businessId, campaignId, reason]);
  return rows.map(({ id }) => id);
}
