import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { WebhookNews } from "../domain/incoming.ts";
import type { IncomingStores, IncomingUnitOfWork, ReadWebhook, WebhookQueue } from "./ports.ts";

const batchSize = 100;

/** Turns kept webhooks into messages, delivery states and preferences. Any number of workers may do so at once. */
export class WorkOffWebhooks {
  constructor(
    private readonly unitOfWork: IncomingUnitOfWork,
    private readonly queue: WebhookQueue,
    private readonly read: ReadWebhook,
    private readonly feed: EventFeed,
    /** Hears why one webhook, or a batch of them (null), could not be worked off. */
    private readonly onFailure: (error: unknown, webhookId: number | null) => void,
  ) {}

  /** Works until nothing is due, or `signal` is aborted and what is under way has ended. */
  async execute(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.batch(signal)) === batchSize);
  }

  /** Many together, which is fast; when one of them spoils it, one by one, so that the others get through. */
  private async batch(signal: AbortSignal | undefined): Promise<number> {
    try {
      return await this.workOff(batchSize, () => {});
    } catch (error) {
      this.onFailure(error, null);
      let done = 0;
      while (done < batchSize && !signal?.aborted && (await this.single())) done += 1;
      return done;
    }
  }

  private async single(): Promise<boolean> {
    let claimed: number | undefined;
    try {
      return (await this.workOff(1, (id) => (claimed = id))) > 0;
    } catch (error) {
      if (claimed === undefined) throw error;
      this.onFailure(error, claimed);
      await this.queue.postpone(claimed, error);
      return true;
    }
  }

  private async workOff(limit: number, onClaim: (id: number) => void): Promise<number> {
    const worked = await this.unitOfWork.sweep((stores) => this.workOffOn(stores, limit, onClaim));
    for (const { events, afterwards } of worked) {
      this.feed.publish(events);
      afterwards();
    }
    return Math.max(...worked.map(({ count }) => count));
  }

  private async workOffOn(
    { queue, incoming, deliveries, templates }: IncomingStores,
    limit: number,
    onClaim: (id: number) => void,
  ): Promise<{ count: number; events: LoggedEvent[]; afterwards: () => void }> {
    const webhooks = await queue.claim(limit);
    for (const { id } of webhooks) onClaim(id);
    if (webhooks.length === 0) return { count: 0, events: [], afterwards: () => {} };
    const news = joined(webhooks.map(({ payload }) => this.read(payload)));
    // Before the recipients of campaigns: who changes a campaign locks it first, then those.
    const tellOfCampaigns = news.templates.length > 0 ? await templates.apply(news.templates) : () => {};
    const settle = news.statuses.length > 0 ? await deliveries.apply(news.statuses) : () => {};
    const events = await incoming.record(news);
    await queue.remove(webhooks.map(({ id }) => id));
    const afterwards = () => {
      tellOfCampaigns();
      settle();
    };
    return { count: webhooks.length, events, afterwards };
  }
}

const joined = (news: readonly WebhookNews[]): WebhookNews => ({
  messages: news.flatMap(({ messages }) => messages),
  reactions: news.flatMap(({ reactions }) => reactions),
  statuses: news.flatMap(({ statuses }) => statuses),
  preferences: news.flatMap(({ preferences }) => preferences),
  templates: news.flatMap(({ templates }) => templates),
  numbers: news.flatMap(({ numbers }) => numbers),
});
