import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type { FrozenCampaign } from "../../../application/campaigns/ports.ts";
import type { FrozenTemplate } from "../../../domain/campaign.ts";

const frozen: Statement = {
  name: "campaign_frozen",
  text: `
    select campaign.id, campaign.template, campaign.tags, campaign.step_id, sender.provider as channel,
           business.name as business_name
    from campaigns as campaign
    join senders as sender on sender.business_id = campaign.business_id and sender.id = campaign.sender_id
    join businesses as business on business.id = campaign.business_id
    where campaign.business_id = $1 and campaign.id = any($2::bigint[])`,
};

interface FrozenRow {
  readonly id: number;
  readonly template: FrozenTemplate;
  readonly tags: number[];
  readonly step_id: number;
  readonly channel: string;
  readonly business_name: string;
}

/** The campaigns' frozen parts, by id. */
export async function readFrozen(
  queries: Queries,
  businessId: number,
  campaignIds: readonly number[],
): Promise<Map<number, FrozenCampaign>> {
  const rows = await queries.rows<FrozenRow>(frozen, [businessId, campaignIds]);
  return new Map(rows.map((row) => [row.id, toFrozen(row)]));
}

const toFrozen = (row: FrozenRow): FrozenCampaign => ({
  id: row.id,
  template: row.template,
  tags: row.tags.map(Number),
  stepId: row.step_id,
  senderChannel: row.channel,
  businessName: row.business_name,
});
