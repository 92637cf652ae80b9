import type { PushHost, PushOutbox } from "./ports.ts";

/** Batches that are under way at a time. */
const width = 4;

/**
 * Brings what waits in the outbox to the Pusher-protocol host, at least once, the oldest first. Batches go side by side:
 * of two changes of one order the versions tell which is newer.
 */
export class PushOrderEvents {
  constructor(
    private readonly outbox: PushOutbox,
    private readonly host: PushHost,
  ) {}

  /** Until nothing is due any more, the host does not take what it is given, or `signal` is aborted. */
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
