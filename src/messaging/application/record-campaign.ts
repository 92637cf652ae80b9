import type { EventFeed } from "../../kernel/events.ts";
import { fillText } from "../domain/template.ts";
import type {
  CampaignMessage,
  CampaignQueue,
  FrozenCampaign,
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
  ) {}

  async record(
    { businessId }: SenderLease,
    tried: readonly TriedRecipient[],
    campaigns: ReadonlyMap<number, FrozenCampaign>,
  ): Promise<void> {
    const events = await this.unitOfWork.run(async (stores) => {
      const rows = await stores.recipients.settle(businessId, tried);
      return keep(stores, businessId, rows, campaigns);
    });
    this.feed.publish(events);
  }

  /** What workers left behind that died between claim and record. How many there were. */
  async recordStragglers(signal?: AbortSignal): Promise<number> {
    let recorded = 0;
    while (!signal?.aborted) {
      const count = await this.recordSomeStragglers();
      recorded += count;
      if (count < stragglersAtATime) break;
    }
    return recorded;
  }

  private async recordSomeStragglers(): Promise<number> {
    const { count, events } = await this.unitOfWork.run(async (stores) => {
      const rows = await stores.recipients.takeStragglers(stragglersAtATime);
      const events = [];
      for (const [businessId, own] of groupByBusiness(rows)) {
        const ids = [...new Set(own.map(({ campaignId }) => campaignId))];
        events.push(...(await keep(stores, businessId, own, await this.queue.frozen(businessId, ids))));
      }
      return { count: rows.length, events };
    });
    this.feed.publish(events);
    return count;
  }
}

/** Keeps each message in its chat, channel by channel. */
async function keep(
  { inbox }: RecordStores,
  businessId: number,
  rows: readonly RecipientToRecord[],
  campaigns: ReadonlyMap<number, FrozenCampaign>,
) {
  const byChannel = new Map<string, { readonly authorName: string; readonly messages: CampaignMessage[] }>();
  for (const row of rows) {
    const campaign = campaigns.get(row.campaignId);
    if (!campaign) continue;
    const group = byChannel.get(campaign.senderChannel) ?? { authorName: campaign.businessName, messages: [] };
    byChannel.set(campaign.senderChannel, group);
    group.messages.push(messageOf(row, campaign));
  }
  const events = [];
  for (const [channel, { authorName, messages }] of byChannel) {
    events.push(...(await inbox.record(businessId, channel, authorName, messages)));
  }
  return events;
}

const messageOf = (row: RecipientToRecord, { id, template, tags, stepId }: FrozenCampaign): CampaignMessage => ({
  contactId: row.contactId,
  reference: row.reference,
  attempt: row.attempt,
  body: fillText(template.body, row.parameters),
  mediaUrl: template.media?.link ?? null,
  state: row.state,
  platformMessageId: row.platformMessageId,
  errorReason: row.errorReason,
  templateId: template.id,
  campaignId: id,
  stepId,
  tags,
});

function groupByBusiness(rows: readonly RecipientToRecord[]): Map<number, RecipientToRecord[]> {
  const groups = new Map<number, RecipientToRecord[]>();
  for (const row of rows) {
    const group = groups.get(row.businessId);
    if (group) group.push(row);
    else groups.set(row.businessId, [row]);
  }
  return groups;
}
