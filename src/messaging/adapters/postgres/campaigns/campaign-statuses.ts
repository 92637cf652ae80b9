import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { DeliveryStatus } from "../../../domain/platform.ts";
import { rank, recipientMove } from "./campaign-sql.ts";

/**
 * A status moves a recipient only forward in `deliveryOrder`. If the recipient is in the queue, the status proves that
 * an earlier attempt was sent. The recipient then leaves the queue and gets an expired lease, so that the sweep records
 * the message in the chat.
 */
const apply = statement("campaign_statuses")`
  with given as (
    select sender.business_id, news.sender, news."platformMessageId" as message_id, news.reference, news.state,
           (news.error->>'code')::integer as code, news.error->>'reason' as reason
    from jsonb_to_recordset($1::jsonb) as news(
      sender text, "platformMessageId" text, reference uuid, state text, error jsonb)
    join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
  ),
  matched as (
    select recipient.campaign_id, recipient.position, known.* from (
      select given.*, coalesce(given.reference, (
        select message.reference from messages as message
        where message.business_id = given.business_id and message.platform_message_id = given.message_id
          and message.id_scope in ('', given.sender)
        limit 1
      )) as known_reference from given
    ) as known join campaign_recipients as recipient
      on recipient.business_id = known.business_id and recipient.reference = known.known_reference
  ),
  furthest as (
    select distinct on (business_id, campaign_id, position) * from matched
    order by business_id, campaign_id, position, ${rank("state")} desc
  ),
  earlier as (
    select recipient.business_id, recipient.campaign_id, recipient.position, recipient.state as before, now() as now
    from campaign_recipients as recipient
    where (recipient.business_id, recipient.campaign_id, recipient.position) in (
      select business_id, campaign_id, position from furthest)
    order by recipient.business_id, recipient.campaign_id, recipient.position
    for no key update
  ),
  moved as (
    update campaign_recipients as recipient
    set state = furthest.state, settled_at = least(recipient.settled_at, earlier.now),
        lease_until = case when earlier.before ${recipientMove.claim.from} then earlier.now else recipient.lease_until end,
        platform_message_id = coalesce(recipient.platform_message_id, furthest.message_id),
        error_code = furthest.code, error_reason = furthest.reason
    from furthest join earlier using (business_id, campaign_id, position)
    where recipient.business_id = furthest.business_id and recipient.campaign_id = furthest.campaign_id
      and recipient.position = furthest.position
      and ${rank("furthest.state")} > ${rank("earlier.before")}
    returning recipient.business_id, recipient.campaign_id
  )
  select business_id, array_agg(distinct campaign_id) as campaign_ids from moved group by business_id`;

/** Applies delivery statuses to campaigns' recipients, in the transaction that applies them to messages. */
export class PostgresCampaignStatuses {
  constructor(
    private readonly transaction: Queries,
    private readonly channel: string,
  ) {}

  /** Returns the campaigns that changed, by business. */
  async apply(statuses: readonly DeliveryStatus[]): Promise<Map<number, number[]>> {
    const values = [JSON.stringify(statuses), this.channel];
    const rows = await this.transaction.rows<{ business_id: number; campaign_ids: number[] }>(apply, values);
    return new Map(rows.map((row) => [row.business_id, row.campaign_ids]));
  }
}
