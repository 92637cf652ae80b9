import type { EventFeed } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import { recipientMoves, refusedStates } from "../../domain/campaign.ts";
import { textFiller } from "../../domain/template.ts";
import type {
  CampaignMessage,
  CampaignNews,
  CampaignOrigin,
  FrozenCampaign,
  LearnedContact,
  RecipientToRecord,
  RecordUnitOfWork,
  SenderLease,
  TriedRecipient,
} from "./ports.ts";

const stragglersAtATime = 500;

type Campaigns = ReadonlyMap<number, FrozenCampaign>;

export interface RecordTrouble {
  /** Whether the database refused what it was given, and would again: the trouble of single rows. */
  isOfRows(error: unknown): boolean;
  /** Hears of each row that could not be recorded as it is. */
  onUnrecorded(error: unknown, campaignId: number, position: number): void;
}

/** Writes down what came of a campaign's messages, together with the messages in their chats. */
export class RecordCampaign {
  constructor(
    private readonly unitOfWork: RecordUnitOfWork,
    private readonly feed: EventFeed,
    /** Hears which campaigns changed. */
    private readonly touch: (businessId: number, campaignIds: readonly number[]) => void,
    private readonly trouble: RecordTrouble,
  ) {}

  /**
   * Doing it twice changes nothing. What the database refuses of one message spoils no other's: it alone is recorded
   * without the platform's id of it, which may be another message's, or not at all, and is unknown in the end.
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
    const learned = tried.flatMap(learnedFrom);
    const events = await this.unitOfWork.run(businessId, async (stores) => {
      const rows = await stores.recipients.settle(businessId, tried);
      return stores.inbox.record([newsOf(businessId, learned, rows, campaigns)], this.isHeard);
    });
    this.feed.publish(events);
    this.touch(businessId, idsOf(tried));
  }

  /** What workers left behind that died between claim and record. */
  async recordStragglers(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.recordSomeStragglers(signal)) === stragglersAtATime);
  }

  /** Many together, which is fast; when one of them spoils it, one by one, so that the others are recorded. */
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

  /** One that cannot be kept in its chat is unknown without that: the sweep would meet it for ever. */
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
  learned: readonly LearnedContact[],
  rows: readonly RecipientToRecord[],
  known: Campaigns,
): CampaignNews {
  const campaigns = [...groupBy(rows, ({ campaignId }) => campaignId)].flatMap(([id, own]) => {
    const campaign = known.get(id);
    if (!campaign) return [];
    const fill = textFiller(campaign.template.body, campaign.template.parameterNames);
    return [{ origin: originOf(campaign), messages: own.map((row) => messageOf(row, fill(row.parameters))) }];
  });
  return { businessId, learned, campaigns };
}

const idsOf = (rows: readonly { readonly campaignId: number }[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

function learnedFrom({ contactId, phone, state, recipientId }: TriedRecipient): LearnedContact[] {
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
  // A chat knows no skipped messages.
  state: wasRefused(row) ? "failed" : row.state,
  platformMessageId: row.platformMessageId,
  errorReason: row.errorReason,
});

const wasRefused = ({ state }: RecipientToRecord): boolean => refusedStates.includes(state);
