import type { EventFeed } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import { recipientMoves, refusedStates } from "../../domain/campaign.ts";
import { textFiller } from "../../domain/template.ts";
import type {
  CampaignMessage,
  CampaignNews,
  CampaignOrigin,
  ContactUpdate,
  FrozenCampaign,
  RecipientToRecord,
  RecordUnitOfWork,
  SenderLease,
  TriedRecipient,
} from "./ports.ts";

const stragglersAtATime = 500;

type Campaigns = ReadonlyMap<number, FrozenCampaign>;

interface RecordTrouble {
  /** True if the database refused the data itself, so that a retry would fail too. */
  isOfRows(error: unknown): boolean;
  /** Called for each recipient that the database refused, even if the recipient is then recorded with less data. */
  onUnrecorded(error: unknown, campaignId: number, position: number): void;
}

/** Records the outcomes of campaigns' messages, and stores the messages in the contacts' chats. */
export class RecordCampaign {
  constructor(
    private readonly unitOfWork: RecordUnitOfWork,
    private readonly feed: EventFeed,
    /** Called with the campaigns that changed. */
    private readonly touch: (businessId: number, campaignIds: readonly number[]) => void,
    private readonly trouble: RecordTrouble,
  ) {}

  /**
   * Idempotent. If the database refuses one message, the others are recorded. The refused one is tried again without
   * its platform id, which may be a duplicate. If that fails, the recipient becomes unknown when its lease expires.
   */
  async record(
    { businessId }: Pick<SenderLease, "businessId">,
    tried: readonly TriedRecipient[],
    campaigns: Campaigns,
  ): Promise<void> {
    const [first] = tried;
    if (!first) return;
    try {
      await this.recordTogether(businessId, tried, campaigns);
    } catch (error) {
      if (!this.trouble.isOfRows(error)) throw error;
      if (tried.length === 1) {
        this.trouble.onUnrecorded(error, first.campaignId, first.position);
        const { platformMessageId, ...withoutId } = first;
        return platformMessageId === undefined ? undefined : this.record({ businessId }, [withoutId], campaigns);
      }
      const half = Math.ceil(tried.length / 2);
      await this.record({ businessId }, tried.slice(0, half), campaigns);
      await this.record({ businessId }, tried.slice(half), campaigns);
    }
  }

  private async recordTogether(
    businessId: number,
    tried: readonly TriedRecipient[],
    campaigns: Campaigns,
  ): Promise<void> {
    const contactUpdates = tried.flatMap(contactUpdateOf);
    const events = await this.unitOfWork.run(businessId, async (stores) => {
      const rows = await stores.recipients.settle(businessId, tried);
      return stores.inbox.record([newsOf(businessId, contactUpdates, rows, campaigns)], this.isHeard);
    });
    this.feed.publish(events);
    this.touch(businessId, idsOf(tried));
  }

  /** Records recipients whose lease expired before their outcome was recorded. */
  async recordStragglers(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.recordSomeStragglers(signal)) === stragglersAtATime);
  }

  /**
   * Records many recipients together, which is fast. If the database refuses one recipient, records them one by one, so
   * that the others are recorded.
   */
  private async recordSomeStragglers(signal: AbortSignal | undefined): Promise<number> {
    try {
      return await this.takeStragglers(stragglersAtATime, () => {});
    } catch (error) {
      if (!this.trouble.isOfRows(error)) throw error;
      let done = 0;
      while (done < stragglersAtATime && !signal?.aborted && (await this.recordStraggler())) done += 1;
      return done;
    }
  }

  /**
   * Records one straggler. If its message cannot be stored in the chat, the message is left out, so that later sweeps
   * do not fail on it. The recipient becomes unknown, unless a delivery status has set a later state.
   */
  private async recordStraggler(): Promise<boolean> {
    let taken: RecipientToRecord | undefined;
    try {
      return (await this.takeStragglers(1, (row) => (taken = row))) > 0;
    } catch (error) {
      if (!taken || !this.trouble.isOfRows(error)) throw error;
      const { platformMessageId: _, errorReason, businessId, ...row } = taken;
      const unknown = { ...row, state: recipientMoves.lose.to, reason: errorReason ?? "" };
      await this.unitOfWork.run(businessId, ({ recipients }) => recipients.settle(businessId, [unknown]));
      this.touch(businessId, [row.campaignId]);
      this.trouble.onUnrecorded(error, row.campaignId, row.position);
      return true;
    }
  }

  private async takeStragglers(limit: number, onTaken: (row: RecipientToRecord) => void): Promise<number> {
    const swept = await this.unitOfWork.sweep(async (stores) => {
      const rows = await stores.recipients.takeStragglers(limit);
      rows.forEach(onTaken);
      const news = [];
      for (const [businessId, own] of groupBy(rows, (row) => row.businessId)) {
        news.push(newsOf(businessId, [], own, await stores.recipients.campaignsOf(businessId, own)));
      }
      return { rows, events: await stores.inbox.record(news, this.isHeard) };
    });
    for (const { rows, events } of swept) {
      this.feed.publish(events);
      for (const [businessId, own] of groupBy(rows, (row) => row.businessId)) this.touch(businessId, idsOf(own));
    }
    return Math.max(...swept.map(({ rows }) => rows.length));
  }

  private get isHeard(): boolean {
    return !this.feed.reachesNobody;
  }
}

function newsOf(
  businessId: number,
  contactUpdates: readonly ContactUpdate[],
  rows: readonly RecipientToRecord[],
  known: Campaigns,
): CampaignNews {
  const campaigns = [...groupBy(rows, ({ campaignId }) => campaignId)].flatMap(([id, own]) => {
    const campaign = known.get(id);
    if (!campaign) return [];
    const fill = textFiller(campaign.template.body, campaign.template.parameterNames);
    return [{ origin: originOf(campaign), messages: own.map((row) => messageOf(row, fill(row.parameters))) }];
  });
  return { businessId, contactUpdates, campaigns };
}

const idsOf = (rows: readonly { readonly campaignId: number }[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

function contactUpdateOf({ contactId, phone, state, recipientId }: TriedRecipient): ContactUpdate[] {
  const optedOut = state === recipientMoves.skip.to;
  const platformId = recipientId ?? null;
  return optedOut || (platformId !== null && platformId !== phone) ? [{ contactId, phone, platformId, optedOut }] : [];
}

const originOf = ({ id, template, tags, stepId, senderChannel, businessName }: FrozenCampaign): CampaignOrigin => ({
  campaignId: id,
  templateId: template.id,
  media: template.media ?? null,
  stepId,
  tags,
  channel: senderChannel,
  authorName: businessName,
});

const messageOf = (row: RecipientToRecord, body: string): CampaignMessage => ({
  contactId: row.contactId,
  onlyIfKept: row.platformMessageId === null && wasRefused(row),
  reference: row.reference,
  attempt: row.attempt,
  body,
  // Messages in chats have no state `skipped`.
  state: wasRefused(row) ? "failed" : row.state,
  platformMessageId: row.platformMessageId,
  errorReason: row.errorReason,
});

const wasRefused = ({ state }: RecipientToRecord): boolean => refusedStates.includes(state);
