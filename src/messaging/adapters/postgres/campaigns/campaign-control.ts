import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type { CampaignAction, CampaignControl } from "../../../application/campaigns/operator-ports.ts";
import type { CampaignState } from "../../../domain/campaign.ts";

/** Recipients go back to the queue under a new reference: late news of the old message must not settle the new one. */
const requeue = (state: string) => `
  changed as (
    update campaign_recipients as recipient
    set state = 'queued', reference = gen_random_uuid(), setbacks = 0, due_at = '-infinity', settled_at = null,
        platform_message_id = null, error_code = null, error_reason = null
    from allowed
    where recipient.business_id = $1 and recipient.campaign_id = $2 and recipient.state = '${state}'
      and recipient.lease_until is null
    returning recipient.position
  ),
  moved as (
    update campaigns as campaign set state = 'running', finished_at = null
    from allowed
    where campaign.business_id = $1 and campaign.id = $2 and campaign.state = 'completed'
      and exists (select from changed)
    returning campaign.id
  )`;

const moving = (to: string, also = "") => `
  moved as (
    update campaigns as campaign set state = '${to}'${also}
    from allowed where campaign.business_id = $1 and campaign.id = $2
    returning campaign.id
  )`;

const actions: Readonly<Record<CampaignAction, readonly [from: readonly CampaignState[], change: string]>> = {
  pause: [["running"], `${moving("paused", ", pause_reason = 'paused on request'")}`],
  resume: [["paused"], `${moving("running", ", pause_reason = null")}`],
  // Its recipients follow: until then nobody takes them.
  cancel: [["running", "paused"], moving("cancelled", ", pause_reason = null, finished_at = now()")],
  "retry-failed": [["running", "paused", "completed"], requeue("failed")],
  "resend-unknown": [["running", "paused", "completed"], requeue("unknown")],
};

const statementOf = (action: CampaignAction): Statement => {
  const [from, change] = actions[action];
  return {
    name: `campaign_asked_to_${action}`,
    text: `
      with campaign as (
        select id, state from campaigns where business_id = $1 and id = $2 for no key update
      ),
      allowed as (select id from campaign where state in (${from.map((state) => `'${state}'`).join(", ")})),
      ${change}
      select campaign.state as before, exists (select from allowed) as done from campaign`,
  };
};

const recipientsAtATime = 10_000;

/** Those that somebody else has in hand are left to the sweep. Found again by where they lie, as a claim does. */
const cancelSome: Statement = {
  name: "campaign_cancels_some",
  text: `
    with waiting as (
      select ctid as place from campaign_recipients
      where business_id = $1 and campaign_id = $2 and state = 'queued'
      limit ${recipientsAtATime}
      for no key update skip locked
    ),
    cancelled as (
      update campaign_recipients as recipient set state = 'cancelled', settled_at = now()
      from waiting
      where recipient.ctid = waiting.place and recipient.business_id = $1 and recipient.campaign_id = $2
      returning recipient.position
    )
    select count(*) as count from cancelled`,
};

export class PostgresCampaignControl implements CampaignControl {
  constructor(private readonly database: Queries) {}

  async apply(businessId: number, campaignId: number, action: CampaignAction) {
    const values = [businessId, campaignId];
    const [row] = await this.database.rows<{ before: CampaignState; done: boolean }>(statementOf(action), values);
    if (action === "cancel" && row?.done) await this.cancelRecipients(businessId, campaignId);
    return row ?? null;
  }

  /** In pieces: in one, a large campaign would take longer than a statement may. */
  private async cancelRecipients(businessId: number, campaignId: number): Promise<void> {
    let cancelled: number;
    do {
      const rows = await this.database.rows<{ count: number }>(cancelSome, [businessId, campaignId]);
      cancelled = rows[0]?.count ?? 0;
    } while (cancelled === recipientsAtATime);
  }
}
