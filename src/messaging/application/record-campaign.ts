import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { textFiller } from "../domain/template.ts";
import type {
  CampaignMessage,
  CampaignOrigin,
  CampaignQueue,
  FrozenCampaign,
  LearnedContact,
  RecipientToRecord,
  RecordStores,
  RecordUnitOfWork,
  SenderLease,
  TriedRecipient,
} from "./campaign-ports.ts";

const stragglersAtATime = 500;

/** Writes down what came of a campaign's messages, together with the messages in their chats. */
export class RecordCampaign {
  constructor(
    private readonly unitOfWork: RecordUnitOfWork,
    private readonly queue: Pick<CampaignQueue, "frozen">,
    private readonly feed: EventFeed,
    /** Hears which campaigns changed. */
    private readonly touch: (businessId: number, campaignIds: readonly number[]) => void,
  ) {}

  /** Doing it twice changes nothing. */
  async record(
    { businessId }: SenderLease,
    tried: readonly TriedRecipient[],
    campaigns: ReadonlyMap<number, FrozenCampaign>,
  ): Promise<void> {
    const learned = tried.flatMap(learnedFrom);
    const events = await this.unitOfWork.run(async (stores) => {
      const rows = await stores.recipients.settle(businessId, tried);
      if (learned.length > 0) await stores.inbox.learn(businessId, learned);
      return this.keep(stores, businessId, rows, campaigns);
    });
    this.feed.publish(events);
    this.touch(businessId, idsOf(tried));
  }

  /** What workers left behind that died between claim and record. */
  async recordStragglers(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.recordSomeStragglers()) === stragglersAtATime);
  }

  private async recordSomeStragglers(): Promise<number> {
    const { rows, events } = await this.unitOfWork.run(async (stores) => {
      const rows = await stores.recipients.takeStragglers(stragglersAtATime);
      const events = [];
      for (const [businessId, own] of groupBy(rows, (row) => row.businessId)) {
        events.push(...(await this.keep(stores, businessId, own, await this.queue.frozen(businessId, idsOf(own)))));
      }
      return { rows, events };
    });
    this.feed.publish(events);
    for (const [businessId, own] of groupBy(rows, (row) => row.businessId)) this.touch(businessId, idsOf(own));
    return rows.length;
  }

  /** Keeps each message in its chat, campaign by campaign. */
  private async keep(
    { inbox }: RecordStores,
    businessId: number,
    rows: readonly RecipientToRecord[],
    campaigns: ReadonlyMap<number, FrozenCampaign>,
  ): Promise<LoggedEvent[]> {
    const isHeard = !this.feed.reachesNobody;
    const events: LoggedEvent[] = [];
    for (const [id, own] of groupBy(rows, ({ campaignId }) => campaignId)) {
      const campaign = campaigns.get(id);
      if (!campaign) continue;
      const fill = textFiller(campaign.template.body);
      const messages = own.map((row) => messageOf(row, fill(row.parameters)));
      for (const event of await inbox.record(businessId, originOf(campaign), messages, isHeard)) events.push(event);
    }
    return events;
  }
}

const idsOf = (rows: readonly { readonly campaignId: number }[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

function learnedFrom({ contactId, phone, state, recipientId }: TriedRecipient): LearnedContact[] {
  const optedOut = state === "skipped";
  const platformId = recipientId ?? null;
  return optedOut || (platformId !== null && platformId !== phone) ? [{ contactId, phone, platformId, optedOut }] : [];
}

const originOf = ({ id, template, tags, stepId, senderChannel, businessName }: FrozenCampaign): CampaignOrigin => ({
  campaignId: id,
  templateId: template.id,
  mediaUrl: template.media?.link ?? null,
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

const wasRefused = ({ state }: RecipientToRecord): boolean => state === "failed" || state === "skipped";
