import { expect } from "chai";
import type { CampaignAnnouncer } from "../../src/messaging/application/campaigns/campaign-announcer.ts";
import { DispatchCampaigns } from "../../src/messaging/application/campaigns/dispatch-campaigns.ts";
import type { CampaignQueue, SenderLease, Timing } from "../../src/messaging/application/campaigns/ports.ts";
import type { RecordCampaign } from "../../src/messaging/application/campaigns/record-campaign.ts";
import type { Channels } from "../../src/messaging/application/sends/ports.ts";
import { eventually } from "../support/wait.ts";

/** Numbers whose next message is always due in one millisecond, and a clock that only the test moves. */
class Numbers {
  readonly takenBy = new Map<number, string>();
  private readonly dispatchers: DispatchCampaigns[] = [];
  private readonly sleepers = new Set<() => void>();
  private at = 1_000;

  constructor(private readonly count: number) {}

  worker(name: string): DispatchCampaigns {
    const dispatcher = new DispatchCampaigns(
      this.queue as CampaignQueue,
      { refresh: async () => {} },
      {} as Channels,
      { record: async () => {} } as unknown as RecordCampaign,
      { touch: () => {} } as unknown as CampaignAnnouncer,
      this.timing,
      { worker: name, mostSenders: 50, sendWithinMs: 1_000, concurrency: 1, recordAtMost: 1 },
      (error) => {
        throw error;
      },
    );
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  async stop(): Promise<void> {
    await Promise.all(this.dispatchers.map((dispatcher) => dispatcher.stop()));
  }

  pass(ms: number): void {
    this.at += ms;
    for (const wake of [...this.sleepers]) wake();
  }

  countOf(name: string): number {
    return [...this.takenBy.values()].filter((by) => by === name).length;
  }

  private readonly queue: Partial<CampaignQueue> = {
    lease: async (worker, limit) => {
      const free = Array.from({ length: this.count }, (_, n) => n + 1).filter((id) => !this.takenBy.has(id));
      return free.slice(0, limit).map((id) => {
        this.takenBy.set(id, worker);
        return {
          businessId: id,
          messagesPerSecond: 1,
          waitMs: 0,
          sender: { id, channel: "cloud" },
        } as unknown as SenderLease;
      });
    },
    release: async () => {},
    renew: async () => true,
    claim: async () => ({ held: true, recipients: [], skippedOf: [], dueInMs: 1, sentDirectly: 0 }),
    complete: async () => [],
  };

  private readonly timing: Timing = {
    now: () => this.at,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          this.sleepers.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        this.sleepers.add(wake);
        signal?.addEventListener("abort", wake);
        if (signal?.aborted) wake();
      }),
  };
}

describe("workers that take numbers", () => {
  let numbers: Numbers;
  afterEach(() => numbers.stop());

  it("share them: one takes a number, and leaves the next one to a worker without any", async () => {
    numbers = new Numbers(2);
    const [one, other] = [numbers.worker("one"), numbers.worker("other")];
    one.wake();
    // The worker is woken again while it looks for numbers.
    one.wake();
    await eventually(() => numbers.countOf("one") === 1);
    one.wake();
    other.wake();
    await eventually(() => numbers.takenBy.size === 2);
    expect([numbers.countOf("one"), numbers.countOf("other")]).to.deep.equal([1, 1]);
  });

  it("take all numbers if they are alone, twice as many each time", async () => {
    numbers = new Numbers(20);
    numbers.worker("one").wake();
    const seen = new Set<number>();
    await eventually(() => {
      seen.add(numbers.takenBy.size);
      numbers.pass(1_000);
      return numbers.takenBy.size === 20;
    });
    expect([...seen].filter((count) => count > 0)).to.deep.equal([1, 2, 4, 8, 16, 20]);
  });
});
