import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type {
  CampaignAction,
  CampaignControl,
  CampaignReads,
  CampaignStatus,
  RecipientStatus,
} from "../../application/campaign-read-ports.ts";
import { type CampaignState, type RecipientState, recipientStates } from "../../domain/campaign.ts";
import { countsByState } from "./campaign-sql.ts";

const columns = `
  campaign.id, campaign.name, campaign.state, campaign.pause_reason as "pauseReason",
  campaign.template_id as "templateId", campaign.user_id as "userId", campaign.step_id as "stepId",
  campaign.starts_at as "startsAt", to_char(campaign.window_from, 'HH24:MI') as "windowFrom",
  to_char(campaign.window_to, 'HH24:MI') as "windowTo", campaign.total, campaign.created_at as "createdAt",
  campaign.finished_at as "finishedAt",
  (select messages_per_second from senders as sender
   where sender.business_id = campaign.business_id and sender.id = campaign.sender_id) as "messagesPerSecond",
  ${countsByState} as counts,
  (select count(*) from campaign_recipients as recipient
   where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
     and campaign.state = 'running' and recipient.attempt > 0 and recipient.settled_at > now() - interval '10 seconds'
  ) / 10.0 as rate`;

const status: Statement = {
  name: "campaign_status",
  text: `select ${columns} from campaigns as campaign where campaign.business_id = $1 and campaign.id = $2`,
};

const list: Statement = {
  name: "campaign_list",
  text: `
    select ${columns}, (select count(*) from campaigns where business_id = $1) as "allCampaigns"
    from campaigns as campaign where campaign.business_id = $1
    order by campaign.id desc limit $2 offset $3`,
};

const count: Statement = {
  name: "campaign_count",
  text: "select count(*) as count from campaigns where business_id = $1",
};

const recipients: Statement = {
  name: "campaign_recipients",
  text: `
    select position, contact_id as "contactId", phone, state, attempt, platform_message_id as "platformMessageId",
           error_code as "errorCode", error_reason as "errorReason", settled_at as "settledAt"
    from campaign_recipients
    where business_id = $1 and campaign_id = $2 and ($3::text is null or state = $3) and position > $4
    order by position limit $5 offset $6`,
};

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

type StatusRow = Omit<CampaignStatus, "window" | "counts" | "rate"> & {
  readonly windowFrom: string | null;
  readonly windowTo: string | null;
  readonly counts: Partial<Record<RecipientState, number>>;
  readonly rate: string;
};

export class PostgresCampaignReads implements CampaignReads, CampaignControl {
  constructor(private readonly database: Queries) {}

  async status(businessId: number, campaignId: number): Promise<CampaignStatus | null> {
    const [row] = await this.database.rows<StatusRow>(status, [businessId, campaignId]);
    return row ? toStatus(row) : null;
  }

  async list(businessId: number, page: number, limit: number) {
    const values = [businessId, limit, (page - 1) * limit];
    const rows = await this.database.rows<StatusRow & { allCampaigns: number }>(list, values);
    const total = rows[0]?.allCampaigns ?? (await this.database.rows<{ count: number }>(count, [businessId]))[0]?.count;
    return { total: total ?? 0, campaigns: rows.map(toStatus) };
  }

  recipients(
    businessId: number,
    campaignId: number,
    state: RecipientState | null,
    { after, offset }: { readonly after: number; readonly offset: number },
    limit: number,
  ): Promise<RecipientStatus[]> {
    return this.database.rows<RecipientStatus>(recipients, [businessId, campaignId, state, after, limit, offset]);
  }

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

function toStatus({ windowFrom, windowTo, counts, rate, ...row }: StatusRow): CampaignStatus {
  const all = recipientStates.map((state) => [state, counts[state] ?? 0] as const);
  return {
    ...row,
    window: windowFrom && windowTo ? { from: windowFrom, to: windowTo } : null,
    counts: Object.fromEntries(all) as CampaignStatus["counts"],
    rate: Number(rate),
  };
}
