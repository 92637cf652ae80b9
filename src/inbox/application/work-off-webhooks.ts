import type { ChatChannelName } from "../../kernel/channels.ts";
import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { WebhookNews } from "../domain/incoming.ts";
import type { IncomingStores, IncomingUnitOfWork, ReadWebhook, WebhookQueue, WebhookReaders } from "./ports.ts";

const batchSize = 100;

/** Turns kept webhooks into messages, delivery states and preferences. Any number of workers may do so at once. */
export class WorkOffWebhooks {
  constructor(
    private readonly unitOfWork: IncomingUnitOfWork,
    private readonly queue: WebhookQueue,
    private readonly readers: WebhookReaders,
    private readonly feed: EventFeed,
    /** Hears why one webhook, or a batch of them (null), could not be worked off. */
    private readonly onFailure: (error: unknown, webhookId: number | null) => void,
  ) {}

  /** Works until nothing is due, or `signal` is aborted and what is under way has ended. */
  async execute(signal?: AbortSignal): Promise<void> {
    for (const [channel, read] of Object.entries(this.readers) as [ChatChannelName, ReadWebhook][]) {
      while (!signal?.aborted && (await this.batch({ channel, read }, signal)) === batchSize);
    }
  }

  /** Many together, which is fast; when one of them spoils it, one by one, so that the others get through. */
  private async batch(source: Source, signal: AbortSignal | undefined): Promise<number> {
    try {
      return await this.workOff(source, batchSize, () => {});
    } catch (error) {
      this.onFailure(error, null);
      let done = 0;
      while (done < batchSize && !signal?.aborted && (await this.single(source))) done += 1;
      return done;
    }
  }

  private async single(source: Source): Promise<boolean> {
    let claimed: number | undefined;
    try {
      return (await this.workOff(source, 1, (id) => (claimed = id))) > 0;
    } catch (error) {
      if (claimed === undefined) throw error;
      this.onFailure(error, claimed);
      await this.queue.postpone(claimed, error);
      return true;
    }
  }

  /** One channel's in a transaction: what a channel's news lock is locked in one order. */
  private async workOff(source: Source, limit: number, onClaim: (id: number) => void): Promise<number> {
    const worked = await this.unitOfWork.sweep((stores) => this.workOffOn(stores, source, limit, onClaim));
    for (const { events, afterwards } of worked) {
      this.feed.publish(events);
      afterwards();
    }
    return Math.max(...worked.map(({ count }) => count));
  }

  private async workOffOn(
    { queue, incoming, deliveries, templates }: IncomingStores,
    { channel, read }: Source,
    limit: number,
    onClaim: (id: number) => void,
  ): Promise<{ count: number; events: LoggedEvent[]; afterwards: () => void }> {
    const webhooks = await queue.claim(channel, limit);
    for (const { id } of webhooks) onClaim(id);
    if (webhooks.length === 0) return { count: 0, events: [], afterwards: () => {} };
    const news = joined(webhooks.map(({ payload, about }) => read(payload, about)));
    // Before the recipients of campaigns: who changes a campaign locks it first, then those.
    const tellOfCampaigns = news.templates.length > 0 ? await templates.apply(news.templates) : () => {};
    const settle = news.statuses.length > 0 ? await deliveries(channel).apply(news.statuses) : () => {};
    const events = await incoming(channel).record(news);
    await queue.remove(webhooks.map(({ id }) => id));
    const afterwards = () => {
      tellOfCampaigns();
      settle();
    };
    return { count: webhooks.length, events, afterwards };
  }
}

interface Source {
  readonly channel: ChatChannelName;
  readonly read: ReadWebhook;
}

const joined = (news: readonly WebhookNews[]): WebhookNews => ({
  messages: news.flatMap(({ messages }) => messages),
  reactions: news.flatMap(({ reactions }) => reactions),
  statuses: news.flatMap(({ statuses }) => statuses),
  preferences: news.flatMap(({ preferences }) => preferences),
  templates: news.flatMap(({ templates }) => templates),
  numbers: news.flatMap(({ numbers }) => numbers),
  connections: news.flatMap(({ connections }) => connections),
});
