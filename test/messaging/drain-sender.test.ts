import { expect } from "chai";
import type { CampaignAnnouncer } from "../../src/messaging/application/campaigns/campaign-announcer.ts";
import { DrainSender } from "../../src/messaging/application/campaigns/drain-sender.ts";
import type {
  CampaignQueue,
  ClaimedBatch,
  ClaimedRecipient,
  FrozenCampaign,
  SenderLease,
  Timing,
  TriedRecipient,
} from "../../src/messaging/application/campaigns/ports.ts";
import type { RecordCampaign } from "../../src/messaging/application/campaigns/record-campaign.ts";
import type { RefusalClass, SendOutcome } from "../../src/messaging/domain/platform.ts";

const fresh = { setbacks: 0, ownSetbacks: 0, isHeldBack: false };

/** A clock that only moves when all tasks wait for it. */
class SimulatedTime implements Timing {
  private at = 1_000;
  private readonly sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  now(): number {
    return this.at;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.at + ms, wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
    });
  }

  /** Moves the clock as if the process had been paused. */
  jump(ms: number): void {
    this.at += ms;
  }

  async until<Result>(ended: Promise<Result>): Promise<Result> {
    let isOver = false;
    const result = ended.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
      const [next] = [...this.sleepers].sort((one, other) => one.at - other.at);
      if (isOver) break;
      if (!next) throw new Error("all tasks wait, but none of them waits for the clock");
      this.at = Math.max(this.at, next.at);
      next.wake();
    }
    return await result;
  }
}

const accepted: SendOutcome = { kind: "accepted", platformMessageId: "wamid.1" };
const refusal = (kind: RefusalClass): SendOutcome => ({
  kind: "refused",
  refusal: { class: kind, code: 7, reason: "why" },
});
const sendWithinMs = 5_000;

/** A number in memory, with recipients of campaigns. Tests can let each of its parts fail. */
class FakeNumber {
  readonly time = new SimulatedTime();
  readonly sent: { readonly to: string; readonly at: number }[] = [];
  readonly recorded: TriedRecipient[] = [];
  readonly errors: unknown[] = [];
  readonly touched: number[] = [];
  readonly stop = new AbortController();
  isRunning = true;
  claims = 0;
  renewals = 0;
  mostUnderWay = 0;
  private underWay = 0;
  private readonly waiting: ClaimedRecipient[] = [];

  constructor(
    count: number,
    private readonly rate: number,
    private readonly trouble: {
      readonly answer?: (to: string) => SendOutcome | Promise<SendOutcome>;
      readonly onClaim?: () => void;
      readonly onFrozen?: () => void;
      readonly onRecord?: () => void;
      readonly onPause?: () => void;
      readonly isHeld?: () => boolean;
      readonly sentDirectly?: number;
    } = {},
  ) {
    for (let position = 1; position <= count; position += 1) this.add(position);
  }

  add(position: number): void {
    const own = { campaignId: 1, position, contactId: position, phone: `${position}`, parameters: [] };
    this.waiting.push({ ...own, reference: `reference ${position}`, attempt: 1, ...fresh });
  }

  get left(): number {
    return this.waiting.length;
  }

  run(): Promise<number> {
    const lease = { businessId: 1, messagesPerSecond: this.rate, waitMs: 0, sender: { id: 1 } } as SenderLease;
    const drain = new DrainSender(
      lease,
      this.queue as CampaignQueue,
      { send: (_, { to }) => this.send(to) },
      {
        record: async (_lease: SenderLease, tried: TriedRecipient[]) => this.record(tried),
      } as unknown as RecordCampaign,
      { touch: (_, ids) => void this.touched.push(...ids) } as CampaignAnnouncer,
      this.time,
      { sendWithinMs, concurrency: 10, recordAtMost: 500 },
      (error) => this.errors.push(error),
    );
    return this.time.until(drain.run(this.stop.signal));
  }

  private get isHeld(): boolean {
    return this.trouble.isHeld?.() ?? true;
  }

  private readonly queue: Partial<CampaignQueue> = {
    claim: async (_lease, limit): Promise<ClaimedBatch> => {
      this.claims += 1;
      const held = this.isHeld;
      const recipients = held && this.isRunning ? this.waiting.splice(0, limit) : [];
      this.trouble.onClaim?.();
      return { held, recipients, skippedOf: [], dueInMs: null, sentDirectly: this.trouble.sentDirectly ?? 0 };
    },
    renew: async () => {
      this.renewals += 1;
      return this.isHeld;
    },
    frozen: async () => {
      this.trouble.onFrozen?.();
      return new Map([[1, { id: 1, template: { body: "Hola" } } as FrozenCampaign]]);
    },
    pause: async () => {
      this.trouble.onPause?.();
      this.isRunning = false;
      return [1];
    },
    complete: async () => [],
  };

  private async send(to: string): Promise<SendOutcome> {
    this.sent.push({ to, at: this.time.now() });
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const outcome = await (this.trouble.answer?.(to) ?? accepted);
    this.underWay -= 1;
    return outcome;
  }

  private record(tried: readonly TriedRecipient[]): void {
    this.trouble.onRecord?.();
    this.recorded.push(...tried);
    for (const { position, attempt, state, dueInMs } of tried) {
      if (state !== "queued" || dueInMs !== 0) continue;
      const again = {
        campaignId: 1,
        position,
        contactId: position,
        phone: `${position}`,
        parameters: [],
        ...fresh,
      };
      this.waiting.push({ ...again, reference: "", attempt: attempt + 1 });
    }
  }

  count(state: string): number {
    return this.recorded.filter((tried) => tried.state === state).length;
  }
}

const times = (count: number, work: () => void): (() => void) => {
  let left = count;
  return () => {
    left -= 1;
    if (left >= 0) work();
  };
};
const fail = (): void => {
  throw new Error("no connection");
};

describe("sending the messages of a number", () => {
  it("sends to each recipient once, within the number's rate", async () => {
    const number = new FakeNumber(300, 50);
    await number.run();
    expect(new Set(number.sent.map(({ to }) => to)).size).to.equal(300);
    expect(number.sent).to.have.length(300);
    expect(number.count("sent")).to.equal(300);
    const { sent } = number;
    const inTheSecondAfter = (from: number) => sent.filter(({ at }) => at >= from && at < from + 1_000).length;
    expect(Math.max(...sent.map(({ at }) => inTheSecondAfter(at)))).to.be.at.most(51);
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).to.be.below(6_400);
  });

  it("slows down by the number's direct messages", async () => {
    const number = new FakeNumber(100, 50, { sentDirectly: 40 });
    await number.run();
    expect(number.sent).to.have.length(100);
    // Of the number's 50 messages per second, 40 are direct messages, so only 10 are left for campaigns.
    expect((number.sent.at(-1)?.at ?? 0) - (number.sent[0]?.at ?? 0)).to.be.greaterThan(8_000);
  });

  it("returns recipients that it cannot send to in time after the process stood still", async () => {
    const number: FakeNumber = new FakeNumber(20, 1_000, {
      onClaim: times(1, () => number.time.jump(sendWithinMs + 1)),
    });
    await number.run();
    expect(number.count("queued")).to.equal(20);
    expect(number.sent.every(({ at }) => at > 1_000 + sendWithinMs)).to.equal(true);
    expect(number.count("sent")).to.equal(20);
  });

  it("sends no more after another worker took the number, and returns its recipients", async () => {
    let isHeld = true;
    const number: FakeNumber = new FakeNumber(100, 20, {
      isHeld: () => isHeld,
      answer: (to) => {
        if (to === "10") isHeld = false;
        return accepted;
      },
    });
    await number.run();
    expect(number.sent.length).to.be.within(10, 35);
    expect(number.left).to.equal(100 - number.sent.length);
  });

  it("repeats storing results until that succeeds", async () => {
    const number = new FakeNumber(20, 100, { onRecord: times(6, fail) });
    await number.run();
    expect(number.count("sent")).to.equal(20);
    expect(number.sent).to.have.length(20);
    expect(number.errors).to.have.length(6);
  });

  it("continues after a claim that failed", async () => {
    let lost = 0;
    const number: FakeNumber = new FakeNumber(40, 100, {
      onClaim: times(2, () => {
        lost += 10;
        fail();
      }),
    });
    await number.run();
    expect(number.sent).to.have.length(40 - lost);
    expect(number.left).to.equal(0);
  });

  it("returns recipients of a campaign that cannot be read at the moment", async () => {
    const number = new FakeNumber(10, 100, { onFrozen: times(1, fail) });
    await number.run();
    expect(number.count("queued")).to.equal(10);
    expect(number.count("sent")).to.equal(10);
    expect(number.sent).to.have.length(10);
  });

  it("repeats pausing a campaign that cannot succeed, and sends again after it is resumed", async () => {
    let isBad = true;
    const number: FakeNumber = new FakeNumber(30, 100, {
      answer: () => (isBad ? refusal("stop") : accepted),
      onPause: times(3, fail),
    });
    await number.run();
    expect(number.isRunning).to.equal(false);
    expect(number.left).to.equal(30);
    expect(number.sent.length).to.be.below(30);
    expect(number.touched).to.include(1);

    isBad = false;
    number.isRunning = true;
    await number.run();
    expect(number.count("sent")).to.equal(30);
  });

  it("sends for a campaign that is resumed before the number is finished", async () => {
    let refusals = 1;
    const number: FakeNumber = new FakeNumber(60, 100, {
      answer: () => {
        refusals -= 1;
        return refusals >= 0 ? refusal("stop") : accepted;
      },
      onPause: () => queueMicrotask(() => (number.isRunning = true)),
    });
    await number.run();
    expect(number.count("sent")).to.equal(60);
    expect(number.left).to.equal(0);
  });

  it("keeps its number while requests hang, limits those under way, and claims only recipients that it can send to", async () => {
    const number: FakeNumber = new FakeNumber(50, 1_000, {
      answer: async () => {
        await number.time.sleep(20_000);
        return { kind: "unknown", reason: "hung" };
      },
    });
    await number.run();
    expect(number.mostUnderWay).to.equal(10);
    expect(number.count("unknown")).to.equal(50);
    expect(number.renewals).to.be.greaterThan(60);
  });

  it("sends messages that are registered while a request hangs", async () => {
    const number: FakeNumber = new FakeNumber(1, 100, {
      answer: async (to) => {
        if (to !== "1") return accepted;
        await number.time.sleep(20_000);
        return { kind: "unknown", reason: "hung" };
      },
    });
    const began = number.time.now();
    void number.time.sleep(5_000).then(() => number.add(2));
    await number.run();
    expect((number.sent.find(({ to }) => to === "2")?.at ?? Number.POSITIVE_INFINITY) - began).to.be.within(
      5_000,
      7_000,
    );
    expect([number.count("sent"), number.count("unknown")]).to.deep.equal([1, 1]);
  });

  it("stops soon on request, and leaves no recipient claimed", async () => {
    const number: FakeNumber = new FakeNumber(100, 20, {
      answer: (to) => {
        if (to === "10") number.stop.abort();
        return accepted;
      },
    });
    await number.run();
    expect(number.sent).to.have.length(10);
    expect(number.left).to.equal(90);
  });

  it("slows down after rate limits of the platform, and still sends all messages", async () => {
    let complaints = 5;
    const number = new FakeNumber(100, 200, {
      answer: () => {
        complaints -= 1;
        return complaints >= 0
          ? { kind: "refused", refusal: { class: "wait-sender", code: 4, reason: "", retryAfterMs: 0 } }
          : accepted;
      },
    });
    await number.run();
    expect(number.count("sent")).to.equal(100);
    expect(number.count("queued")).to.be.at.least(5);
  });

  const resting = (waitMs: number): FakeNumber =>
    new FakeNumber(50, 100, {
      answer: (to) =>
        to === "20"
          ? { kind: "refused", refusal: { class: "wait-sender", code: 4, reason: "", retryAfterMs: waitMs } }
          : accepted,
    });

  it("gives up a number that has to wait long, and reports how long", async () => {
    const number = resting(60_000);
    expect(await number.run()).to.be.within(59_000, 60_000);
    const sent = number.count("sent");
    expect(sent).to.be.within(19, 30);
    expect(number.left).to.equal(49 - sent);
    expect(await number.run()).to.equal(0);
    expect(number.count("sent")).to.equal(49);
  });

  it("waits as long as the platform requests, and keeps its number if that is short", async () => {
    const waitMs = 9_000;
    const number = resting(waitMs);
    expect(await number.run()).to.equal(0);
    const asked = number.sent.find(({ to }) => to === "20")?.at ?? 0;
    const meanwhile = number.sent.filter(({ at }) => at > asked && at < asked + waitMs);
    expect(meanwhile).to.deep.equal([]);
    expect(number.count("sent")).to.equal(49);
    expect(number.renewals).to.be.greaterThan(7);
  });
});
