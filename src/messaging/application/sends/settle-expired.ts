import type { EventFeed } from "../../../kernel/events.ts";
import type { OutgoingMessages } from "./ports.ts";

const batchSize = 500;

/**
 * A message whose lease ran out was under way when its process died: nobody knows whether it was accepted. It
 * becomes unknown, is never sent again by itself, and is settled by its delivery status.
 */
export class SettleExpired {
  constructor(
    private readonly messages: OutgoingMessages,
    private readonly feed: EventFeed,
  ) {}

  /** How many messages became unknown. */
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
