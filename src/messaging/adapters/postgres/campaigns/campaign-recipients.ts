import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type {
  CampaignRecipients,
  FrozenCampaign,
  RecipientToRecord,
  SettledTry,
} from "../../../application/campaigns/ports.ts";
import { messagelessStates, type Setback } from "../../../domain/campaign.ts";
import { readFrozen } from "./campaign-frozen.ts";
import { campaignMove, rank, recipientMove } from "./campaign-sql.ts";

const { giveBack, lose } = recipientMove;

const hasSetback = (kind: Setback): string => `coalesce(locked.setback = ${quoted(kind)}, false)`;

const toRecord = `
  recipient.business_id as "businessId", recipient.campaign_id as "campaignId", recipient.position,
  recipient.contact_id as "contactId", recipient.parameters, recipient.reference, recipient.attempt, recipient.state,
  recipient.platform_message_id as "platformMessageId", recipient.error_reason as "errorReason"`;

/**
 * Stores outcomes of attempts. An outcome is ignored if the recipient has had another attempt since. The last
 * attempt's outcome replaces an `unknown` that the sweep has set, but not a later state that a delivery status has set.
 * The outcome `queued` means that the platform certainly did not accept the message.
 *
 * `given` is materialized and has complete keys, so that the planner looks up each row by its key even with wrong
 * statistics. `locked` locks the rows in key order, so that parallel transactions do not deadlock. An update with a
 * join would lock them in the order of its plan.
 */
const settle = statement("campaign_settle")`
  with given as materialized (
    select $1::bigint as business_id, row.*
    from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::integer[], $8::text[],
                $9::float8[], $10::text[]) with ordinality
      as row(campaign_id, position, attempt, state, platform_message_id, code, reason, due_in_ms, setback, number)
  ),
  locked as (
    select given.*, given.state = ${giveBack.to} and exists (
             select 1 from campaigns as campaign
             where campaign.business_id = $1 and campaign.id = given.campaign_id
               and campaign.state = ${campaignMove.cancel.to}) as is_cancelled, now() as now,
           now() + make_interval(secs => coalesce(given.due_in_ms, 0) / 1000) as due_again
    from given join campaign_recipients as recipient using (business_id, campaign_id, position, attempt)
    where recipient.state ${giveBack.from} or given.state <> ${giveBack.to} and recipient.lease_until is not null
    order by given.business_id, given.campaign_id, given.position
    for no key update of recipient
  )
  update campaign_recipients as recipient
  set state = case when locked.is_cancelled then ${recipientMove.cancel.to}
                   when locked.state = ${giveBack.to} or ${rank("locked.state")} > ${rank("recipient.state")}
                     then locked.state
                   else recipient.state end,
      lease_until = null,
      setbacks = recipient.setbacks + case when ${hasSetback("sender")} then 1 else 0 end,
      own_setbacks = recipient.own_setbacks + case when ${hasSetback("recipient")} then 1 else 0 end,
      held_back = recipient.held_back or ${hasSetback("held-back")},
      due_at = case when locked.state = ${giveBack.to} then locked.due_again else recipient.due_at end,
      platform_message_id = coalesce(recipient.platform_message_id, locked.platform_message_id),
      error_code = case when recipient.state ${giveBack.from} then locked.code else recipient.error_code end,
      error_reason = case when recipient.state ${giveBack.from} then locked.reason else recipient.error_reason end,
      settled_at = case when locked.state <> ${giveBack.to} or locked.is_cancelled then locked.now end
  from locked
  where recipient.business_id = locked.business_id and recipient.campaign_id = locked.campaign_id
    and recipient.position = locked.position
  returning locked.number, recipient.state, recipient.platform_message_id as "platformMessageId",
            recipient.error_reason as "errorReason"`;

const takeStragglers = statement("campaign_stragglers")`
  with late as (
    select business_id, campaign_id, position from campaign_recipients
    where lease_until < now() and ${livesHere("business_id")}
    order by business_id, campaign_id, position limit $1
    for no key update skip locked
  )
  update campaign_recipients as recipient
  set lease_until = null, settled_at = least(recipient.settled_at, now()),
      error_reason = case when recipient.state ${lose.from} then 'the worker stopped before it knew the outcome'
                          else recipient.error_reason end,
      state = case when recipient.state ${lose.from} then ${lose.to} else recipient.state end
  from late
  where recipient.business_id = late.business_id and recipient.campaign_id = late.campaign_id
    and recipient.position = late.position
  returning ${toRecord}`;

type SettledRow = Pick<RecipientToRecord, "state" | "platformMessageId" | "errorReason"> & {
  /** The attempt's index in the input, from 1. */
  readonly number: number;
};

export class PostgresCampaignRecipients implements CampaignRecipients {
  constructor(private readonly transaction: Queries) {}

  async settle(businessId: number, tried: readonly SettledTry[]): Promise<RecipientToRecord[]> {
    const rows = await this.transaction.rows<SettledRow>(settle, [
      businessId,
      plainArray(tried.map(({ campaignId }) => campaignId)),
      plainArray(tried.map(({ position }) => position)),
      plainArray(tried.map(({ attempt }) => attempt)),
      textArray(tried.map(({ state }) => state)),
      textArray(tried.map(({ platformMessageId }) => platformMessageId ?? null)),
      plainArray(tried.map(({ code }) => code ?? null)),
      textArray(tried.map(({ reason }) => reason ?? null)),
      plainArray(tried.map(({ dueInMs }) => dueInMs ?? null)),
      textArray(tried.map(({ setback }) => setback ?? null)),
    ]);
    return rows.flatMap(({ number, ...now }) => {
      const one = tried[number - 1];
      return one && mayBeInChat(now) ? [toBeRecorded(businessId, one, now)] : [];
    });
  }

  takeStragglers(limit: number): Promise<RecipientToRecord[]> {
    return this.transaction.rows<RecipientToRecord>(takeStragglers, [limit]);
  }

  campaignsOf(businessId: number, rows: readonly RecipientToRecord[]): Promise<Map<number, FrozenCampaign>> {
    return readFrozen(this.transaction, businessId, [...new Set(rows.map(({ campaignId }) => campaignId))]);
  }
}

/**
 * True if the message must be stored in its chat, or may be stored there already. Even a refused message may be there,
 * with the state `unknown`. A queued or cancelled recipient has a message only if the platform gave the message an id.
 */
const mayBeInChat = ({ state, platformMessageId }: Omit<SettledRow, "number">): boolean =>
  platformMessageId !== null || !messagelessStates.includes(state);

/** Fields that cannot have changed since the claim come from the attempt instead of the database. */
const toBeRecorded = (
  businessId: number,
  { campaignId, position, contactId, parameters, reference, attempt }: SettledTry,
  now: Omit<SettledRow, "number">,
): RecipientToRecord => ({ businessId, campaignId, position, contactId, parameters, reference, attempt, ...now });
