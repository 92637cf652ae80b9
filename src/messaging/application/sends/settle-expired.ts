import type { EventFeed } from "../../../kernel/events.ts";
import type { OutgoingMessages } from "./ports.ts";

const batchSize = 500;

/**
 * Marks messages whose lease has expired as `unknown`: their process died, or could not store the outcome. Such a
 * message is never sent again automatically. A delivery status of the message can still settle it.
 */
export class SettleExpired {
  constructor(
    private readonly messages: OutgoingMessages,
    private readonly feed: EventFeed,
  ) {}

  /** Returns how many messages became unknown. */
  async execute(signal?: AbortSignal): Promise<number> {
    let settled = 0;
    while (!signal?.aborted) {
      const events = await this.messages.settleExpired(batchSize);
      if (events.length === 0) break;
      this.feed.publish(events);
      settled += events.filter(({ name }) => name === "message:new").length;
    }
    return settled;
  }
}
