import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { joinedNews, partiesIn, type WebhookNews, withoutSenders } from "../../domain/incoming.ts";
import type {
  ClaimedWebhook,
  ClaimLimit,
  IncomingQueue,
  IncomingStores,
  IncomingUnitOfWork,
  ReadWebhook,
  WebhookReaders,
} from "./ports.ts";
import { type Aftermath, type RecordedNews, recordNews, tellOf } from "./record-news.ts";

const atOnce = { webhooks: 100, bytes: 16 * 1024 * 1024 };

/** Turns stored webhooks into messages, delivery states and preferences. Safe in any number of processes. */
export class WorkOffIncoming {
  constructor(
    private readonly unitOfWork: IncomingUnitOfWork,
    private readonly queue: Pick<IncomingQueue, "postpone">,
    private readonly readers: WebhookReaders,
    private readonly feed: EventFeed,
    private readonly aftermath: Aftermath,
    /** `webhookId` is null if the error concerns a whole batch or channel. */
    private readonly onFailure: (error: unknown, webhookId: number | null) => void,
  ) {}

  /**
   * Processes webhooks until none is due. After `signal` aborts, running transactions finish, and no new ones begin.
   * Channels take turns, so a busy one does not delay the others. A channel that fails is left until the next call.
   */
  async execute(signal?: AbortSignal): Promise<void> {
    let due = Object.entries(this.readers).map(([channel, read]) => ({ channel: channel as ChatChannelName, read }));
    while (due.length > 0) {
      const full: Source[] = [];
      for (const source of due) if (!signal?.aborted && (await this.attempt(source, signal))) full.push(source);
      due = full;
    }
  }

  private async attempt(source: Source, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return await this.batch(source, signal);
    } catch (error) {
      this.onFailure(error, null);
      return false;
    }
  }

  /**
   * Processes a whole batch. If that fails, processes webhooks one by one, so that a bad webhook does not block the
   * rest. Returns true if more webhooks may be due.
   */
  private async batch(source: Source, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return await this.workOff(source, atOnce, () => {});
    } catch (error) {
      this.onFailure(error, null);
      let done = 0;
      while (done < atOnce.webhooks && !signal?.aborted && (await this.single(source))) done += 1;
      return done === atOnce.webhooks;
    }
  }

  private async single(source: Source): Promise<boolean> {
    let claimed: number | undefined;
    try {
      return await this.workOff(source, { ...atOnce, webhooks: 1 }, (id) => (claimed = id));
    } catch (error) {
      if (claimed === undefined) throw error;
      this.onFailure(error, claimed);
      await this.queue.postpone(claimed, error);
      return true;
    }
  }

  /**
   * Each transaction handles one channel, because the lock order that avoids deadlocks holds only within a channel.
   * Returns true if the claim reached its limit.
   */
  private async workOff(source: Source, limit: ClaimLimit, onClaim: (id: number) => void): Promise<boolean> {
    const worked = await this.unitOfWork.sweep((stores) => this.workOffOn(stores, source, limit, onClaim));
    for (const { news } of worked) if (news) tellOf(news, source.channel, this.feed, this.aftermath);
    return worked.some(({ isFull }) => isFull);
  }

  private async workOffOn(
    stores: IncomingStores,
    { channel, read }: Source,
    limit: ClaimLimit,
    onClaim: (id: number) => void,
  ): Promise<{ isFull: boolean; news: RecordedNews | null }> {
    const { queue, senders } = stores;
    const webhooks = await queue.claim(channel, limit);
    for (const { id } of webhooks) onClaim(id);
    if (webhooks.length === 0) return { isFull: false, news: null };
    const isThere = await senders.stillThere(
      channel,
      webhooks.flatMap(({ about }) => about ?? []),
    );
    // A webhook is dropped if its secret proves a former owner: the sender may belong to another business by now.
    const authorized = webhooks.filter(({ about }) => about === null || isThere(about));
    const all = authorized.map((webhook) => ({ webhook, news: read(webhook.payload, webhook.about) }));
    const { own, elsewhere } = await handOver(queue, channel, all);
    const news = await recordNews(stores, channel, own, { elsewhere });
    await queue.remove(webhooks.map(({ id }) => id));
    const bytes = webhooks.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
    return { isFull: webhooks.length >= limit.webhooks || bytes >= limit.bytes, news };
  }
}

/**
 * Hands over the parts of webhooks that concern businesses of another cell. Returns the remaining parts and the ids of
 * those businesses. Do not read these ids again: if they had changed, two cells or none would handle a part.
 */
async function handOver(
  queue: IncomingQueue,
  channel: ChatChannelName,
  all: readonly { readonly webhook: ClaimedWebhook; readonly news: WebhookNews }[],
): Promise<{ readonly own: WebhookNews; readonly elsewhere: readonly number[] }> {
  const joined = joinedNews(all.map(({ news }) => news));
  if (!all.some(({ webhook }) => webhook.isAnyoneElsewhere)) return { own: joined, elsewhere: [] };
  const named = all.map(({ webhook: { id }, news }) => ({ id, ...partiesIn(news) }));
  const found = await queue.handOver(channel, named);
  return {
    own: withoutSenders(joined, new Set(found.map(({ sender }) => sender))),
    elsewhere: [...new Set(found.map(({ businessId }) => businessId))],
  };
}

interface Source {
  readonly channel: ChatChannelName;
  readonly read: ReadWebhook;
}
