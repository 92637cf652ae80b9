import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { literalPattern } from "../../../../infra/postgres/search-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { sumsOf } from "../../../../kernel/sums.ts";
import type {
  CampaignFilter,
  CampaignReads,
  CampaignStatus,
  CampaignsStanding,
  FailureReason,
  RecipientStatus,
} from "../../../application/campaigns/operator-ports.ts";
import {
  campaignMoves,
  countsOf,
  openStates,
  type RecipientCounts,
  type RecipientState,
  sendingStates,
} from "../../../domain/campaign.ts";
import { countsByState, isIn, recipientMove } from "./campaign-sql.ts";

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
     and campaign.state ${isIn(sendingStates)} and recipient.attempt > 0 and recipient.settled_at > now() - interval '10 seconds'
     -- The claim skipped recipients without a code of the platform: nothing was sent to them.
     and (recipient.state <> ${recipientMove.skip.to} or recipient.error_code is not null)
  ) / 10.0 as rate`;

const status = statement("campaign_status")`
  select ${columns} from campaigns as campaign where campaign.business_id = $1 and campaign.id = $2`;

const isSelected = "business_id = $1 and ($2::text is null or state = $2) and name ilike $3";

const list = statement("campaign_list")`
  select ${columns}
  from (select * from campaigns where ${isSelected} order by id desc limit $4 offset $5) as campaign
  order by campaign.id desc`;

const count = statement("campaign_count")`select count(*) as count from campaigns where ${isSelected}`;

const recipients = statement("campaign_recipients")`
  select position, contact_id as "contactId", phone, state, attempt, platform_message_id as "platformMessageId",
         error_code as "errorCode", error_reason as "errorReason", settled_at as "settledAt"
  from campaign_recipients
  where business_id = $1 and campaign_id = $2 and ($3::text is null or state = $3) and position > $4
  order by position limit $5 offset $6`;

const failed: RecipientState = "failed";

const failures = statement("campaign_failures")`
  select error_code as "errorCode", error_reason as "errorReason", count(*) as count
  from campaign_recipients
  where business_id = $1 and campaign_id = $2 and state = $4
  group by error_code, error_reason
  order by count desc, error_code, error_reason limit $3`;

const standing = statement("campaigns_standing")`
  select count(*) filter (where recipient.state ${isIn(openStates)}) as waiting,
         count(*) filter (where recipient.state not ${isIn(openStates)}) as done
  from campaign_recipients as recipient
  join campaigns as campaign on campaign.business_id = recipient.business_id and campaign.id = recipient.campaign_id
  where campaign.state ${isIn([...sendingStates, campaignMoves.complete.to])} and campaign.starts_at <= now()
    and (campaign.finished_at is null or campaign.finished_at > now() - interval '1 day')
    and ${livesHere("campaign.business_id")}`;

type StatusRow = Omit<CampaignStatus, "window" | "counts" | "rate"> & {
  readonly windowFrom: string | null;
  readonly windowTo: string | null;
  readonly counts: Partial<RecipientCounts>;
  readonly rate: string;
};

export class PostgresCampaignReads implements CampaignReads {
  constructor(private readonly cells: Cells) {}

  async status(businessId: number, campaignId: number): Promise<CampaignStatus | null> {
    const [row] = await this.cells.of(businessId).rows<StatusRow>(status, [businessId, campaignId]);
    return row ? toStatus(row) : null;
  }

  async list(businessId: number, { state, text }: CampaignFilter, page: number, limit: number) {
    const filter = [businessId, state, `%${literalPattern(text)}%`];
    const cell = this.cells.of(businessId);
    const [rows, [counted]] = await Promise.all([
      cell.rows<StatusRow>(list, [...filter, limit, (page - 1) * limit]),
      cell.rows<{ count: number }>(count, filter),
    ]);
    return { total: counted?.count ?? 0, campaigns: rows.map(toStatus) };
  }

  recipients(
    businessId: number,
    campaignId: number,
    state: RecipientState | null,
    { after, offset }: { readonly after: number; readonly offset: number },
    limit: number,
    signal?: AbortSignal,
  ): Promise<RecipientStatus[]> {
    return this.cells
      .of(businessId)
      .rows<RecipientStatus>(recipients, [businessId, campaignId, state, after, limit, offset], signal);
  }

  failures(businessId: number, campaignId: number, limit: number, signal?: AbortSignal): Promise<FailureReason[]> {
    return this.cells.of(businessId).rows<FailureReason>(failures, [businessId, campaignId, limit, failed], signal);
  }

  async standing(): Promise<CampaignsStanding> {
    return sumsOf(await everywhere(this.cells, (cell) => cell.rows<CampaignsStanding>(standing, [])));
  }
}

function toStatus({ windowFrom, windowTo, counts, rate, ...row }: StatusRow): CampaignStatus {
  return {
    ...row,
    window: windowFrom && windowTo ? { from: windowFrom, to: windowTo } : null,
    counts: countsOf(counts),
    rate: Number(rate),
  };
}
