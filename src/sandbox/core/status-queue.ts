import { Fifo } from "./bounded.ts";
import { Random } from "./random.ts";
import type { AcceptedMessage } from "./shared.ts";
import type { Delivery, Webhooks } from "./webhooks.ts";

interface StatusBehaviour {
  /** No statuses are delivered while this is true. */
  readonly paused: boolean;
  /** Statuses are delivered in random order, even those of one message. */
  readonly shuffled: boolean;
  readonly seed: number;
  /** Messages to these recipients are accepted, then fail. Channels that report a reason report `failCode`. */
  readonly failNumbers: ReadonlySet<string>;
  readonly failCode: number;
  /** Messages to these recipients get no statuses. */
  readonly mute: ReadonlySet<string>;
}

export const normalBehaviour: StatusBehaviour = {
  paused: false,
  shuffled: false,
  seed: 1,
  failNumbers: new Set(),
  failCode: 131026,
  mute: new Set(),
};

export interface MessageStatus<Message> {
  readonly message: Message;
  readonly name: string;
  /** When the message got this status, in milliseconds since 1970. */
  readonly at: number;
  /** The reason of a failure, as a code of the cloud channel or of ProviderB. */
  readonly failCode: number;
}

/** How a platform reports the statuses of messages. */
export interface StatusReporter<Message> {
  /** The most statuses in one webhook. */
  readonly perWebhook: number;
  /** The statuses of a message, in order; empty if there is no receiver. */
  stepsOf(message: Message, fails: boolean): readonly string[];
  delivery(statuses: readonly MessageStatus<Message>[]): Delivery;
}

interface PendingStatus<Message> {
  readonly message: Message;
  readonly steps: readonly string[];
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** True if the next status is queued only when this one is done; false if all were queued at once. */
  readonly leadsOn: boolean;
  readonly failCode: number;
}

interface Batch<Message> {
  readonly statuses: readonly PendingStatus<Message>[];
  readonly delivery: Delivery;
}

const limits = { atOnce: 16, pending: 200_000 };
/** At least this many milliseconds pass between two checks of the queue, so that one webhook carries many statuses. */
const tickMs = 5;

/**
 * Delivers the statuses of accepted messages. All delays are equal. The queue is therefore always sorted by time, and
 * one timer is enough. Unless statuses are shuffled, a message's next status is queued only when the previous one was
 * delivered or dropped. Retries therefore keep the order.
 */
export class StatusQueue<Message extends AcceptedMessage> {
  private readonly waiting = new Fifo<PendingStatus<Message>>();
  private readonly due = new Fifo<PendingStatus<Message>>();
  /** Batches that are ready for another attempt. */
  private readonly again = new Fifo<Batch<Message>>();
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  private running = 0;
  private pending = 0;
  private dropped = 0;
  /** The number of resets. The result of a webhook that was sent before the last reset is ignored. */
  private resets = 0;
  private current = normalBehaviour;
  private random = new Random(normalBehaviour.seed);

  constructor(
    private readonly reporter: StatusReporter<Message>,
    private readonly webhooks: Webhooks,
    private readonly delayMs: number,
    private readonly log: (line: string) => void,
  ) {}

  behave(behaviour: StatusBehaviour): void {
    this.current = behaviour;
    this.random = new Random(behaviour.seed);
    // Restarts the timer, so that the next check is at least `tickMs` away. If delays are short, statuses that were
    // queued just before this change of behaviour are due by then, and the check can shuffle them all together.
    clearTimeout(this.timer?.handle);
    this.timer = undefined;
    this.arm();
  }

  counts(): { pending: number; dropped: number } {
    return { pending: this.pending, dropped: this.dropped };
  }

  /** Whether messages to that recipient get no statuses. */
  isMute(recipient: string): boolean {
    return this.current.mute.has(recipient);
  }

  add(message: Message): void {
    const { shuffled, failNumbers, failCode } = this.current;
    if (this.isMute(message.to)) return;
    const steps = this.reporter.stepsOf(message, failNumbers.has(message.to));
    if (steps.length === 0) return;
    const first = { message, steps, step: 0, dueAt: Date.now() + this.delayMs, leadsOn: !shuffled, failCode };
    this.queue(first);
    if (shuffled) for (let step = 1; step < steps.length; step += 1) this.queue({ ...first, step });
    this.arm();
  }

  reset(): void {
    this.resets += 1;
    this.waiting.clear();
    this.due.clear();
    this.again.clear();
    this.pending = 0;
    this.dropped = 0;
  }

  private queue(status: PendingStatus<Message>): void {
    if (this.pending >= limits.pending) {
      this.dropped += 1;
      return;
    }
    this.pending += 1;
    this.waiting.push(status);
  }

  /** Sets the timer to the next moment with something to do. */
  private arm(): void {
    if (this.running >= limits.atOnce) return;
    const head = this.waiting.peek();
    const isReady = this.due.length > 0 || this.again.length > 0;
    if (!isReady && head === undefined) return;
    const now = Date.now();
    const at = now + Math.max(tickMs, isReady || head === undefined ? 0 : head.dueAt - now);
    if (this.timer !== undefined && this.timer.at <= at) return;
    clearTimeout(this.timer?.handle);
    this.timer = { at, handle: setTimeout(() => this.tick(), at - now) };
  }

  private tick(): void {
    this.timer = undefined;
    if (this.current.paused) return;
    const now = Date.now();
    for (let head = this.waiting.peek(); head !== undefined && head.dueAt <= now; head = this.waiting.peek()) {
      this.waiting.shift();
      this.due.push(head);
    }
    while (this.running < limits.atOnce) {
      const batch = this.again.shift() ?? this.nextBatch();
      if (batch === undefined) break;
      void this.deliver(batch);
    }
    this.arm();
  }

  private nextBatch(): Batch<Message> | undefined {
    const statuses: PendingStatus<Message>[] = [];
    while (statuses.length < this.reporter.perWebhook && this.due.length > 0) {
      if (this.current.shuffled) this.due.promote(this.random.between(0, this.due.length - 1));
      const next = this.due.shift();
      if (next !== undefined) statuses.push(next);
    }
    if (statuses.length === 0) return undefined;
    return { statuses, delivery: this.reporter.delivery(statuses.map((status) => this.statusOf(status))) };
  }

  private async deliver(batch: Batch<Message>): Promise<void> {
    const { resets } = this;
    this.running += 1;
    const outcome = await this.webhooks.attempt(batch.delivery);
    this.running -= 1;
    if (resets === this.resets) {
      if (outcome !== "again") this.settle(batch, outcome === "delivered");
      else {
        this.webhooks.later(batch.delivery, () => {
          this.again.push(batch);
          this.arm();
        });
      }
    }
    this.arm();
  }

  private settle({ statuses }: Batch<Message>, arrived: boolean): void {
    this.pending -= statuses.length;
    if (!arrived) {
      this.dropped += statuses.length;
      this.log(`${statuses.length} delivery statuses dropped: the webhook's receiver does not take them`);
    }
    const dueAt = Date.now() + this.delayMs;
    for (const status of statuses) {
      if (arrived) status.message.statuses.push(nameOf(status));
      const step = status.step + 1;
      if (status.leadsOn && step < status.steps.length) this.queue({ ...status, step, dueAt });
    }
  }

  private statusOf(status: PendingStatus<Message>): MessageStatus<Message> {
    const { message, step, failCode } = status;
    return { message, name: nameOf(status), at: message.at + (step + 1) * this.delayMs, failCode };
  }
}

const nameOf = ({ steps, step }: { steps: readonly string[]; step: number }): string => steps[step] ?? "";
