import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type {
  CampaignRecipients,
  FrozenCampaign,
  RecipientToRecord,
  SettledTry,
} from "../../../application/campaigns/ports.ts";
import { readFrozen } from "./campaign-frozen.ts";
import { rank } from "./campaign-sql.ts";

const toRecord = `
  recipient.business_id as "businessId", recipient.campaign_id as "campaignId", recipient.position,
  recipient.contact_id as "contactId", recipient.parameters, recipient.reference, recipient.attempt, recipient.state,
  recipient.platform_message_id as "platformMessageId", recipient.error_reason as "errorReason"`;

/**
 * Only the attempt that was made counts. What the sweep took for unknown in the meantime is known after all; a
 * delivery status that came first stays, and a row goes back to the queue only where that was proved safe.
 *
 * The key comes whole out of `given`, of which the planner takes nothing for granted: whatever it believes of the
 * table, it looks each row up. Rows are given in the order of their keys, in which all who lock several take them.
 */
const settle: Statement = {
  name: "campaign_settle",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::integer[], $8::text[],
                  $9::float8[]) with ordinality
        as row(campaign_id, position, attempt, state, platform_message_id, code, reason, due_in_ms, number)
    )
    update campaign_recipients as recipient
    set state = case when given.state = 'queued' and campaign.state = 'cancelled' then 'cancelled'
                     when given.state = 'queued' then 'queued'
                     when ${rank("given.state")} > ${rank("recipient.state")} then given.state
                     else recipient.state end,
        lease_until = null,
        setbacks = recipient.setbacks + case when given.state = 'queued' and given.reason is not null then 1 else 0 end,
        due_at = case when given.state = 'queued'
                      then now() + make_interval(secs => coalesce(given.due_in_ms, 0) / 1000) else recipient.due_at end,
        platform_message_id = coalesce(recipient.platform_message_id, given.platform_message_id),
        error_code = case when recipient.state in ('sending', 'unknown') then given.code else recipient.error_code end,
        error_reason = case when recipient.state in ('sending', 'unknown') then given.reason
                            else recipient.error_reason end,
        settled_at = case when given.state <> 'queued' or campaign.state = 'cancelled' then now() end
    from given
    join campaigns as campaign on campaign.business_id = given.business_id and campaign.id = given.campaign_id
    where recipient.business_id = given.business_id and recipient.campaign_id = given.campaign_id
      and recipient.position = given.position and recipient.attempt = given.attempt
      and (recipient.state in ('sending', 'unknown') or given.state <> 'queued' and recipient.lease_until is not null)
    returning given.number, recipient.state, recipient.platform_message_id as "platformMessageId",
              recipient.error_reason as "errorReason"`,
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

type SettledRow = Pick<RecipientToRecord, "state" | "platformMessageId" | "errorReason"> & {
  /** Of the try, from 1. */
  readonly number: number;
};

export class PostgresCampaignRecipients implements CampaignRecipients {
  constructor(private readonly transaction: Queries) {}

  async settle(businessId: number, tried: readonly SettledTry[]): Promise<RecipientToRecord[]> {
    const inOrder = tried.toSorted((one, other) => one.campaignId - other.campaignId || one.position - other.position);
    const rows = await this.transaction.rows<SettledRow>(settle, [
      businessId,
      plainArray(inOrder.map(({ campaignId }) => campaignId)),
      plainArray(inOrder.map(({ position }) => position)),
      plainArray(inOrder.map(({ attempt }) => attempt)),
      textArray(inOrder.map(({ state }) => state)),
      textArray(inOrder.map(({ platformMessageId }) => platformMessageId ?? null)),
      plainArray(inOrder.map(({ code }) => code ?? null)),
      textArray(inOrder.map(({ reason }) => reason ?? null)),
      plainArray(inOrder.map(({ dueInMs }) => dueInMs ?? null)),
    ]);
    return rows.flatMap(({ number, ...now }) => {
      const one = inOrder[number - 1];
      return one && mayStandInChat(now) ? [toBeRecorded(businessId, one, now)] : [];
    });
  }

  takeStragglers(limit: number): Promise<RecipientToRecord[]> {
    return this.transaction.rows<RecipientToRecord>(takeStragglers, [limit]);
  }

  campaignsOf(businessId: number, rows: readonly RecipientToRecord[]): Promise<Map<number, FrozenCampaign>> {
    return readFrozen(this.transaction, businessId, [...new Set(rows.map(({ campaignId }) => campaignId))]);
  }
}

/** A message that was refused may stand there as unknown; one that waits, or fell with its campaign, does not. */
const mayStandInChat = ({ state, platformMessageId }: Omit<SettledRow, "number">): boolean =>
  platformMessageId !== null || (state !== "queued" && state !== "cancelled");

/** What was frozen at registration, and claimed with this attempt, is known here. */
const toBeRecorded = (
  businessId: number,
  { campaignId, position, contactId, parameters, reference, attempt }: SettledTry,
  now: Omit<SettledRow, "number">,
): RecipientToRecord => ({ businessId, campaignId, position, contactId, parameters, reference, attempt, ...now });
