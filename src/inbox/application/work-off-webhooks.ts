import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { IncomingNews } from "../domain/incoming.ts";
import type { IncomingStores, IncomingUnitOfWork, ReadWebhook, WebhookQueue } from "./ports.ts";

const batchSize = 100;

/** Turns kept webhooks into messages, delivery states and preferences. Any number of workers may do so at once. */
export class WorkOffWebhooks {
  constructor(
    private readonly unitOfWork: IncomingUnitOfWork,
    private readonly queue: WebhookQueue,
    private readonly read: ReadWebhook,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown, webhookId: number) => void,
  ) {}

  /** Works until nothing is due. */
  async execute(): Promise<void> {
    while ((await this.batch()) === batchSize);
  }

  /** Many together, which is fast; when one of them spoils it, one by one, so that the others get through. */
  private async batch(): Promise<number> {
    try {
      return await this.workOff(batchSize, () => {});
    } catch {
      let done = 0;
      while (done < batchSize && (await this.single())) done += 1;
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
      await this.queue.postpone(claimed, error instanceof Error ? error.message : String(error));
      return true;
    }
  }

  private async workOff(limit: number, onClaim: (id: number) => void): Promise<number> {
    const { count, events } = await this.unitOfWork.run(async (stores) => this.workOffOn(stores, limit, onClaim));
    this.feed.publish(events);
    return count;
  }

  private async workOffOn(
    { queue, incoming }: IncomingStores,
    limit: number,
    onClaim: (id: number) => void,
  ): Promise<{ count: number; events: LoggedEvent[] }> {
    const webhooks = await queue.claim(limit);
    for (const { id } of webhooks) onClaim(id);
    if (webhooks.length === 0) return { count: 0, events: [] };
    const events = await incoming.record(joined(webhooks.map(({ payload }) => this.read(payload))));
    await queue.remove(webhooks.map(({ id }) => id));
    return { count: webhooks.length, events };
  }
}

const joined = (news: readonly IncomingNews[]): IncomingNews => ({
  messages: news.flatMap(({ messages }) => messages),
  statuses: news.flatMap(({ statuses }) => statuses),
  preferences: news.flatMap(({ preferences }) => preferences),
});
