import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { countOf, noNews } from "../../domain/incoming.ts";
import type { IncomingUnitOfWork } from "./ports.ts";
import { type Aftermath, recordNews } from "./record-news.ts";

const statusesAtOnce = 200;

/**
 * Applies delivery statuses and other news, such as reactions and edits, that arrived before their message was known.
 * For example, a platform may report a delivery before its answer to our send has told us the message's id.
 */
export class ApplyEarlyStatuses {
  constructor(
    private readonly unitOfWork: IncomingUnitOfWork,
    private readonly feed: EventFeed,
    private readonly removeFiles: Aftermath["removeFiles"],
  ) {}

  /** Applies the news whose message is known by now. Stops early if `signal` is aborted. */
  async execute(signal?: { readonly aborted: boolean }): Promise<void> {
    const channels = (await this.unitOfWork.sweep(({ early }) => early.channels())).flat();
    for (const channel of new Set(channels)) {
      while (!signal?.aborted && (await this.some(channel)) === statusesAtOnce);
    }
  }

  /** Deletes statuses and other early news whose message did not come in time. */
  async purge(signal?: { readonly aborted: boolean }): Promise<void> {
    const purge = () => this.unitOfWork.sweep(({ early }) => early.purge());
    while (!signal?.aborted && (await purge()).some((count) => count > 0));
  }

  private async some(channel: ChatChannelName): Promise<number> {
    const worked = await this.unitOfWork.sweep(async (stores) => {
      const statuses = await stores.early.take(channel, statusesAtOnce);
      const early = await stores.early.takeNews(channel, statusesAtOnce);
      const count = Math.max(statuses.length, countOf(early));
      const told =
        count > 0 ? await recordNews(stores, channel, { ...noNews, ...early, statuses }, { isAgain: true }) : null;
      return { count, told };
    });
    for (const { told } of worked) {
      if (!told) continue;
      this.feed.publish(told.recorded.events);
      told.tell();
      for (const files of told.recorded.withdrawn) this.removeFiles(files);
    }
    return Math.max(...worked.map(({ count }) => count));
  }
}
