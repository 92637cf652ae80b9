import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { FrozenCampaign } from "../../../application/campaigns/ports.ts";

const frozen = statement("campaign_frozen")`
  select campaign.id, campaign.template, campaign.tags, campaign.step_id as "stepId",
         coalesce(campaign.sender_channel, sender.provider) as "senderChannel", business.name as "businessName"
  from campaigns as campaign
  left join senders as sender on sender.business_id = campaign.business_id and sender.id = campaign.sender_id
  join businesses as business on business.id = campaign.business_id
  where campaign.business_id = $1 and campaign.id = any($2::bigint[])`;

export async function readFrozen(
  queries: Queries,
  businessId: number,
  campaignIds: readonly number[],
): Promise<Map<number, FrozenCampaign>> {
  const rows = await queries.rows<FrozenCampaign>(frozen, [businessId, campaignIds]);
  return new Map(rows.map((row) => [row.id, row]));
}
