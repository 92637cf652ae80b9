import type { PushHost, PushOutbox } from "./ports.ts";

/** The maximum number of batches that are sent at the same time for the businesses of one cell. */
const width = 4;

/**
 * Sends each event of the outbox to the Pusher-protocol host until the host accepts it or refuses it for good. An event
 * may arrive more than once. Events may arrive in any sequence; their `version` shows which change is newer.
 */
export class PushOrderEvents {
  constructor(
    private readonly outbox: PushOutbox,
    private readonly host: PushHost,
  ) {}

  /** Runs until nothing is due, an event has to be sent again later, or `signal` is aborted. */
  async execute(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const events = await this.outbox.claim(this.host.batch * width);
      if (events.length === 0) return;
      const batches = Array.from({ length: Math.ceil(events.length / this.host.batch) }, (_, index) =>
        events.slice(index * this.host.batch, (index + 1) * this.host.batch),
      );
      const done = (await Promise.all(batches.map((batch) => this.host.push(batch)))).flat();
      await this.outbox.remove(done);
      if (done.length < events.length) return;
    }
  }
}
