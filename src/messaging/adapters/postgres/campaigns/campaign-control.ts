import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { CampaignControl } from "../../../application/campaigns/operator-ports.ts";
import { type CampaignAction, type CampaignState, campaignActions } from "../../../domain/campaign.ts";
import { campaignMove, isIn, recipientMove } from "./campaign-sql.ts";

/**
 * Recipients go back to the queue with a new reference, so that a late status of the old message does not settle the
 * new one.
 */
const requeue = (move: { readonly from: string; readonly to: string }) => `
  chosen as (
    select recipient.position, gen_random_uuid() as reference from allowed cross join campaign_recipients as recipient
    where recipient.business_id = $1 and recipient.campaign_id = $2 and recipient.state ${move.from}
      and recipient.lease_until is null
    order by recipient.position
    for no key update of recipient
  ),
  changed as (
    update campaign_recipients as recipient
    set state = ${move.to}, reference = chosen.reference, setbacks = 0, due_at = '-infinity', settled_at = null,
        platform_message_id = null, error_code = null, error_reason = null
    from chosen
    where recipient.business_id = $1 and recipient.campaign_id = $2 and recipient.position = chosen.position
    returning recipient.position
  ),
  moved as (
    update campaigns as campaign set state = ${campaignMove.reopen.to}, finished_at = null
    from allowed
    where campaign.business_id = $1 and campaign.id = $2 and campaign.state ${campaignMove.reopen.from}
      and exists (select 1 from changed)
    returning campaign.id
  )`;

const moving = (to: string, also: string) => `
  moved as (
    update campaigns as campaign set state = ${to}, ${also}
    from allowed where campaign.business_id = $1 and campaign.id = $2
    returning campaign.id
  )`;

const changes: Readonly<Record<CampaignAction, string>> = {
  pause: moving(campaignMove.pause.to, "pause_reason = 'paused on request'"),
  resume: moving(campaignMove.resume.to, "pause_reason = null"),
  // Recipients are cancelled afterwards. No worker claims them in between.
  cancel: moving(campaignMove.cancel.to, "pause_reason = null, finished_at = now()"),
  "retry-failed": requeue(recipientMove["retry-failed"]),
  "resend-unknown": requeue(recipientMove["resend-unknown"]),
};

const statementOf = (action: CampaignAction): Statement => ({
  name: `campaign_asked_to_${action}`,
  text: `
    with campaign as (
      select id, state, sender_id from campaigns where business_id = $1 and id = $2 for no key update
    ),
    allowed as (select id from campaign where state ${isIn(campaignActions[action])} and sender_id is not null),
    ${changes[action]}
    select campaign.state as before, campaign.sender_id is not null as "hasSender",
           exists (select 1 from allowed) as done
    from campaign`,
});

const recipientsAtATime = 10_000;

/** Skips locked rows: the sweep cancels them later. Finds its rows by `ctid`, for the reason given at `claim`. */
const cancelSome = statement("campaign_cancels_some")`
  with waiting as (
    select ctid as place from campaign_recipients
    where business_id = $1 and campaign_id = $2 and state ${recipientMove.cancel.from}
    limit ${recipientsAtATime}
    for no key update skip locked
  ),
  cancelled as (
    update campaign_recipients as recipient set state = ${recipientMove.cancel.to}, settled_at = now()
    from waiting
    where recipient.ctid = waiting.place and recipient.business_id = $1 and recipient.campaign_id = $2
    returning recipient.position
  )
  select count(*) as count from cancelled`;

export class PostgresCampaignControl implements CampaignControl {
  constructor(private readonly cells: Cells) {}

  async apply(businessId: number, campaignId: number, action: CampaignAction) {
    const values = [businessId, campaignId];
    const [row] = await this.cells
      .of(businessId)
      .rows<{ before: CampaignState; hasSender: boolean; done: boolean }>(statementOf(action), values);
    if (action === "cancel" && row?.done) await this.cancelRecipients(businessId, campaignId);
    return row ?? null;
  }

  /** Cancels in batches, because all recipients of a large campaign would exceed the statement's time limit. */
  private async cancelRecipients(businessId: number, campaignId: number): Promise<void> {
    let cancelled: number;
    do {
      const rows = await this.cells.of(businessId).rows<{ count: number }>(cancelSome, [businessId, campaignId]);
      cancelled = rows[0]?.count ?? 0;
    } while (cancelled === recipientsAtATime);
  }
}
