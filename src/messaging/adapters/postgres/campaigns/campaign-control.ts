import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { afterChange } from "../../../../kernel/errors.ts";
import type { CampaignControl } from "../../../application/campaigns/operator-ports.ts";
import { type CampaignAction, campaignActions } from "../../../domain/campaign.ts";
import { campaignMove, isIn, recipientMove } from "./campaign-sql.ts";

/**
 * Puts recipients back into the queue. They get a new reference, so that a late status of the old message does not
 * settle the new one. Each batch begins after the last position of the previous batch, so a recipient that meanwhile
 * fails again is not queued twice.
 */
const requeue = (move: { readonly from: string; readonly to: string }) => `
  chosen as (
    select recipient.position, gen_random_uuid() as reference from allowed cross join campaign_recipients as recipient
    where recipient.business_id = $1 and recipient.campaign_id = $2 and recipient.state ${move.from}
      and recipient.lease_until is null and recipient.position > $3
    order by recipient.position limit $4
    for no key update of recipient
  ),
  changed as (
    update campaign_recipients as recipient
    set state = ${move.to}, reference = chosen.reference, setbacks = 0, own_setbacks = 0, held_back = false,
        due_at = '-infinity', settled_at = null, platform_message_id = null, error_code = null, error_reason = null
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

const howMany = ', (select count(*) from changed) as count, (select max(position) from changed) as "last"';

const statementOf = (action: CampaignAction, changes: string, more = ""): Statement => ({
  name: `campaign_asked_to_${action}`,
  text: `
    with campaign as (
      select id, state, sender_id from campaigns where business_id = $1 and id = $2 for no key update
    ),
    allowed as (select id from campaign where state ${isIn(campaignActions[action])} and sender_id is not null),
    ${changes}
    select campaign.state as before, campaign.sender_id is not null as "hasSender",
           exists (select 1 from allowed) as done${more}
    from campaign`,
});

const ofCampaign = {
  pause: statementOf("pause", moving(campaignMove.pause.to, "pause_reason = 'paused on request'")),
  resume: statementOf("resume", moving(campaignMove.resume.to, "pause_reason = null")),
  // The recipients are cancelled afterwards. Workers claim no recipients of a cancelled campaign.
  cancel: statementOf("cancel", moving(campaignMove.cancel.to, "pause_reason = null, finished_at = now()")),
};

const ofRecipients = {
  "retry-failed": statementOf("retry-failed", requeue(recipientMove["retry-failed"]), howMany),
  "resend-unknown": statementOf("resend-unknown", requeue(recipientMove["resend-unknown"]), howMany),
};

/**
 * Skips locked rows; `campaign_tidy` cancels them later. Finds its rows by `ctid`, because with wrong statistics the
 * planner could scan the whole queue.
 */
const cancelSome = statement("campaign_cancels_some")`
  with waiting as (
    select ctid as place from campaign_recipients
    where business_id = $1 and campaign_id = $2 and state ${recipientMove.cancel.from}
    limit $3
    for no key update skip locked
  ),
  cancelled as (
    update campaign_recipients as recipient set state = ${recipientMove.cancel.to}, settled_at = now()
    from waiting
    where recipient.ctid = waiting.place and recipient.business_id = $1 and recipient.campaign_id = $2
    returning recipient.position
  )
  select count(*) as count from cancelled`;

type Applied = NonNullable<Awaited<ReturnType<CampaignControl["apply"]>>>;
type AppliedToSome = Applied & { readonly count: number; readonly last: number | null };

/** Changes recipients in batches, because one statement for a large campaign would exceed the statement timeout. */
export class PostgresCampaignControl implements CampaignControl {
  /** @param batch - recipients in one statement */
  constructor(
    private readonly cells: Cells,
    private readonly batch = 10_000,
  ) {}

  async apply(businessId: number, campaignId: number, action: CampaignAction): Promise<Applied | null> {
    if (action === "retry-failed" || action === "resend-unknown") return this.requeue(businessId, campaignId, action);
    const [row] = await this.cells.of(businessId).rows<Applied>(ofCampaign[action], [businessId, campaignId]);
    if (action === "cancel" && row?.done) await afterChange(this.cancelRecipients(businessId, campaignId));
    return row ?? null;
  }

  private async cancelRecipients(businessId: number, campaignId: number): Promise<void> {
    const values = [businessId, campaignId, this.batch];
    let cancelled: number;
    do {
      const rows = await this.cells.of(businessId).rows<{ count: number }>(cancelSome, values);
      cancelled = rows[0]?.count ?? 0;
    } while (cancelled === this.batch);
  }

  private async requeue(
    businessId: number,
    campaignId: number,
    action: keyof typeof ofRecipients,
  ): Promise<Applied | null> {
    const next = async (after: number): Promise<AppliedToSome | null> => {
      const values = [businessId, campaignId, after, this.batch];
      const [row] = await this.cells.of(businessId).rows<AppliedToSome>(ofRecipients[action], values);
      return row ?? null;
    };
    const first = await next(0);
    for (let row = first; row?.count === this.batch; ) row = await afterChange(next(row.last ?? 0));
    return first;
  }
}
