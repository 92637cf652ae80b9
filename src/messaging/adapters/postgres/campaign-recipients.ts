import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { CampaignRecipients, RecipientToRecord, TriedRecipient } from "../../application/campaign-ports.ts";

/** In the order in which knowledge of a message grows; see the inbox's delivery states. */
const rank = (state: string) =>
  `array_position(array['queued', 'sending', 'unknown', 'sent', 'failed', 'skipped', 'delivered', 'read'], ${state})`;

const toRecord = `
  recipient.business_id as "businessId", recipient.campaign_id as "campaignId", recipient.position,
  recipient.contact_id as "contactId", recipient.parameters, recipient.reference, recipient.attempt, recipient.state,
  recipient.platform_message_id as "platformMessageId", recipient.error_reason as "errorReason"`;

/**
 * Only the attempt that was made counts. What the sweep took for unknown in the meantime is known after all; a
 * delivery status that came first stays, and a row goes back to the queue only where that was proved safe.
 */
const settle: Statement = {
  name: "campaign_settle",
  text: `
    with given as (
      select * from jsonb_to_recordset($2::jsonb) as row(
        "campaignId" bigint, position integer, attempt integer, state text, "platformMessageId" text, code integer,
        reason text, "dueInMs" float8)
    ),
    earlier as (
      select recipient.campaign_id, recipient.position, recipient.state as before, recipient.lease_until
      from campaign_recipients as recipient
      where recipient.business_id = $1
        and (recipient.campaign_id, recipient.position) in (select "campaignId", position from given)
      order by recipient.campaign_id, recipient.position
      for no key update
    ),
    settled as (
      update campaign_recipients as recipient
      set state = case when given.state = 'queued' and campaign.state = 'cancelled' then 'cancelled'
                       when given.state = 'queued' then 'queued'
                       when ${rank("given.state")} > ${rank("earlier.before")} then given.state
                       else earlier.before end,
          lease_until = null,
          setbacks = recipient.setbacks + case when given.state = 'queued' and given.reason is not null then 1 else 0 end,
          due_at = case when given.state = 'queued'
                        then now() + make_interval(secs => coalesce(given."dueInMs", 0) / 1000) else recipient.due_at end,
          platform_message_id = coalesce(recipient.platform_message_id, given."platformMessageId"),
          error_code = case when earlier.before in ('sending', 'unknown') then given.code else recipient.error_code end,
          error_reason = case when earlier.before in ('sending', 'unknown') then given.reason
                              else recipient.error_reason end,
          settled_at = case when given.state <> 'queued' or campaign.state = 'cancelled' then now() end
      from given
      join earlier on earlier.campaign_id = given."campaignId" and earlier.position = given.position
      join campaigns as campaign on campaign.business_id = $1 and campaign.id = given."campaignId"
      where recipient.business_id = $1 and recipient.campaign_id = given."campaignId"
        and recipient.position = given.position and recipient.attempt = given.attempt
        and (earlier.before in ('sending', 'unknown') or given.state <> 'queued' and earlier.lease_until is not null)
      returning ${toRecord}, earlier.before
    )
    select * from settled
    where state in ('sent', 'delivered', 'read', 'unknown') or "platformMessageId" is not null
      or (state in ('failed', 'skipped') and (before = 'unknown' or attempt > 1))`,
};

const takeStragglers: Statement = {
  name: "campaign_stragglers",
  text: `
    with late as (
      select business_id, campaign_id, position from campaign_recipients
      where lease_until < now()
      order by business_id, campaign_id, position limit $1
      for no key update skip locked
    )
    update campaign_recipients as recipient
    set lease_until = null, settled_at = coalesce(recipient.settled_at, now()),
        error_reason = case when recipient.state = 'sending' then 'the worker stopped before it knew the outcome'
                            else recipient.error_reason end,
        state = case when recipient.state = 'sending' then 'unknown' else recipient.state end
    from late
    where recipient.business_id = late.business_id and recipient.campaign_id = late.campaign_id
      and recipient.position = late.position
    returning ${toRecord}`,
};

export class PostgresCampaignRecipients implements CampaignRecipients {
  constructor(private readonly transaction: Queries) {}

  settle(businessId: number, tried: readonly TriedRecipient[]): Promise<RecipientToRecord[]> {
    return this.transaction.rows<RecipientToRecord>(settle, [businessId, JSON.stringify(tried)]);
  }

  takeStragglers(limit: number): Promise<RecipientToRecord[]> {
    return this.transaction.rows<RecipientToRecord>(takeStragglers, [limit]);
  }
}
