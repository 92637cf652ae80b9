import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type {
  Announced,
  CampaignQueue,
  ClaimedBatch,
  ClaimedRecipient,
  FrozenCampaign,
  OnUnreadable,
  PauseReason,
  SenderLease,
} from "../../../application/campaigns/ports.ts";
import type { StoppedTemplate } from "../../../application/sends/ports.ts";
import { type RecipientState, recipientMoves } from "../../../domain/campaign.ts";
import { type SenderColumns, toSender } from "../sends/senders.ts";
import { claim } from "./campaign-claim.ts";
import { readFrozen } from "./campaign-frozen.ts";
import { giveUp, lease, release, renew } from "./campaign-lease.ts";
import { pauseOne, pauseTemplate, pauseTemplateOfSender } from "./campaign-pause.ts";
import { campaignMove, countsByState, isOpen, recipientMove } from "./campaign-sql.ts";

const unreadableToken = "the token of its number cannot be read: store it again with make sender";
const unreadableRestMs = 10_000;

const complete = statement("campaign_complete")`
  update campaigns as campaign set state = ${campaignMove.complete.to}, finished_at = now()
  where campaign.business_id = $1 and campaign.sender_id = $2 and campaign.state ${campaignMove.complete.from}
    and not ${isOpen}
  returning campaign.id`;

/**
 * Repairs four kinds of campaigns: running without open recipients (the worker died before it completed the campaign),
 * completed with open recipients, cancelled with queued recipients, and ended but not announced (the process died).
 */
const tidy = statement("campaign_tidy")`
  with ended as (
    update campaigns as campaign set state = ${campaignMove.complete.to}, finished_at = now()
    where campaign.state ${campaignMove.complete.from} and not ${isOpen}
      and ${livesHere("campaign.business_id")}
    returning campaign.business_id, campaign.id
  ),
  reopened as (
    update campaigns as campaign set state = ${campaignMove.reopen.to}, finished_at = null
    where campaign.state ${campaignMove.reopen.from} and campaign.finished_at > now() - interval '1 day'
      and ${isOpen} and ${livesHere("campaign.business_id")}
    returning campaign.business_id, campaign.id
  ),
  left_queued as (
    select recipient.business_id, recipient.campaign_id, recipient.position
    from campaigns as campaign join campaign_recipients as recipient
      on recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
    where campaign.state = ${campaignMove.cancel.to} and campaign.finished_at > now() - interval '1 day'
      and recipient.state ${recipientMove.cancel.from} and ${livesHere("campaign.business_id")}
    limit 10000
    for no key update of recipient skip locked
  ),
  cancelled as (
    update campaign_recipients as recipient set state = ${recipientMove.cancel.to}, settled_at = now()
    from left_queued
    where recipient.business_id = left_queued.business_id and recipient.campaign_id = left_queued.campaign_id
      and recipient.position = left_queued.position
    returning recipient.business_id, recipient.campaign_id
  ),
  unannounced as (
    select business_id, id from campaigns
    where finished_at > now() - interval '1 hour' and (announced_at is null or announced_at < finished_at)
      and ${livesHere("business_id")}
  )
  select business_id, array_agg(id) as campaign_ids
  from (table ended union table reopened union table cancelled union table unannounced) as changed (business_id, id)
  group by business_id`;

const announce = statement("campaign_announce")`
  with announced as (
    update campaigns set announced_at = now()
    where business_id = $1 and id = any($2::bigint[])
      and (announced_at is null or announced_at <= now() - interval '500 milliseconds')
    returning id
  ),
  events as (
    select campaign.business_id, campaign.id as position, 'campaign:progress' as name,
           jsonb_build_object(
             'campaignId', campaign.id, 'name', campaign.name, 'state', campaign.state,
             'pauseReason', campaign.pause_reason, 'total', campaign.total, 'finishedAt', campaign.finished_at,
             'counts', ${countsByState}) as payload
    from campaigns as campaign join announced using (id)
    where campaign.business_id = $1
  ),
  ${loggedEvents}`;

const existing = statement("campaigns_existing")`
  select id from campaigns where business_id = $1 and id = any($2::bigint[])`;

type LeaseRow = SenderColumns & Omit<SenderLease, "sender">;

type ClaimRow = ClaimedRecipient &
  Omit<ClaimedBatch, "recipients" | "skippedOf"> & {
    readonly state: RecipientState | null;
  };

interface QueueSettings {
  /** Seconds that a worker keeps its sender after each claim or renewal. */
  readonly senderLeaseSeconds: number;
  /** Seconds in which a worker must send to a claimed recipient and record the outcome. */
  readonly recipientLeaseSeconds: number;
}

export class PostgresCampaignQueue implements CampaignQueue {
  /** True once this process has decrypted a token, which shows that its master secret is right. */
  private opensTokens = false;

  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
    private readonly settings: QueueSettings,
  ) {}

  async lease(worker: string, limit: number, onUnreadable: OnUnreadable): Promise<SenderLease[]> {
    const values = [worker, limit, this.settings.senderLeaseSeconds];
    const leases: SenderLease[] = [];
    const unreadable: { readonly row: LeaseRow; readonly cause: unknown }[] = [];
    for (const row of await everywhere(this.cells, (cell) => cell.rows<LeaseRow>(lease, values))) {
      const { businessId, fence, messagesPerSecond, waitMs } = row;
      try {
        const sender = toSender(row, businessId, this.vault);
        leases.push({ businessId, fence, messagesPerSecond, waitMs, sender });
      } catch (cause) {
        unreadable.push({ row, cause });
      }
    }
    this.opensTokens ||= leases.length > 0;
    for (const { row, cause } of unreadable) {
      onUnreadable(row.businessId, await this.giveUp(row), tokenError(row, cause));
    }
    return leases;
  }

  /**
   * Returns the paused campaigns. A failure is ignored, so that other senders do not wait; the next lease tries
   * again.
   */
  private async giveUp({ businessId, sender_id, fence }: LeaseRow): Promise<number[]> {
    // A process that has decrypted no token may have the wrong master secret: it leaves the sender to other workers.
    const [statement, value] = this.opensTokens ? [giveUp, unreadableToken] : [release, unreadableRestMs];
    const ids = await this.campaignsIn(statement, [businessId, sender_id, fence, value]).catch(() => []);
    return this.opensTokens ? ids : [];
  }

  async release({ businessId, sender, fence }: SenderLease, restMs = 0): Promise<void> {
    await this.cells.of(businessId).rows(release, [businessId, sender.id, fence, restMs]);
  }

  async renew({ businessId, sender, fence }: SenderLease): Promise<boolean> {
    const values = [businessId, sender.id, fence, this.settings.senderLeaseSeconds];
    return (await this.cells.of(businessId).rows(renew, values)).length > 0;
  }

  async claim({ businessId, sender, fence }: SenderLease, limit: number, after: number): Promise<ClaimedBatch> {
    const { senderLeaseSeconds, recipientLeaseSeconds } = this.settings;
    const rows = await this.cells
      .of(businessId)
      .rows<ClaimRow>(claim, [businessId, sender.id, fence, limit, after, senderLeaseSeconds, recipientLeaseSeconds]);
    return {
      held: rows[0]?.held ?? false,
      recipients: rows.filter(({ state }) => state === recipientMoves.claim.to),
      skippedOf: [
        ...new Set(rows.filter(({ state }) => state === recipientMoves.skip.to).map(({ campaignId }) => campaignId)),
      ],
      dueInMs: rows[0]?.dueInMs ?? null,
      sentDirectly: rows[0]?.sentDirectly ?? 0,
    };
  }

  frozen(businessId: number, campaignIds: readonly number[]): Promise<Map<number, FrozenCampaign>> {
    return readFrozen(this.cells.of(businessId), businessId, campaignIds);
  }

  pause(businessId: number, campaignId: number, { reason, concerns }: PauseReason): Promise<number[]> {
    const statement = concerns === "template" ? pauseTemplate : pauseOne;
    return this.campaignsIn(statement, [businessId, campaignId, reason]);
  }

  pauseTemplate(businessId: number, senderId: number, template: StoppedTemplate, reason: string): Promise<number[]> {
    const { name, language, providerBId } = template;
    return this.campaignsIn(pauseTemplateOfSender, [businessId, senderId, reason, name, language, providerBId]);
  }

  complete(businessId: number, senderId: number): Promise<number[]> {
    return this.campaignsIn(complete, [businessId, senderId]);
  }

  async tidy(): Promise<Map<number, number[]>> {
    const rows = await everywhere(this.cells, (cell) =>
      cell.rows<{ business_id: number; campaign_ids: number[] }>(tidy, []),
    );
    return new Map(rows.map((row) => [row.business_id, row.campaign_ids]));
  }

  async announce(businessId: number, campaignIds: readonly number[]): Promise<Announced> {
    const events = await this.cells.of(businessId).rows<LoggedEvent>(announce, [businessId, campaignIds]);
    const announced = new Set(events.map(({ payload }) => (payload as { campaignId: number }).campaignId));
    const unannounced = campaignIds.filter((id) => !announced.has(id));
    return {
      events,
      later: unannounced.length === 0 ? [] : await this.campaignsIn(existing, [businessId, unannounced]),
    };
  }

  private async campaignsIn(
    statement: Statement,
    values: readonly [businessId: number, ...unknown[]],
  ): Promise<number[]> {
    const rows = await this.cells.of(values[0]).rows<{ id: number }>(statement, values);
    return rows.map(({ id }) => id);
  }
}

const tokenError = ({ businessId, sender_id }: LeaseRow, cause: unknown): Error =>
  new Error(`the token of number ${sender_id} of business ${businessId} cannot be read`, { cause });
