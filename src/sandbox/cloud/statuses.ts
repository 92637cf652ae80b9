import { groupBy } from "../../kernel/group-by.ts";
import { Fifo } from "../core/bounded.ts";
import { Random } from "../core/random.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { Delivery, Webhooks } from "../core/webhooks.ts";
import { titleOf } from "../graph/graph.ts";
import { changesEnvelope, type Sender } from "./accounts.ts";

export interface StatusBehaviour {
  /** Nothing is delivered until this is over. */
  readonly paused: boolean;
  /** Statuses are delivered in random order, those of one message included. */
  readonly shuffled: boolean;
  /** Start of the random order. */
  readonly seed: number;
  /** Messages to these numbers are accepted and then fail with `failCode`. */
  readonly failNumbers: ReadonlySet<string>;
  readonly failCode: number;
}

const normalBehaviour: StatusBehaviour = {
  paused: false,
  shuffled: false,
  seed: 1,
  failNumbers: new Set(),
  failCode: 131026,
};

/** An accepted message on its way through its delivery statuses. */
export interface CloudMessage extends AcceptedMessage {
  readonly sender: Sender;
}

interface PendingStatus {
  readonly message: CloudMessage;
  readonly steps: readonly string[];
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Whether the next status of the message follows once this one is delivered. */
  readonly leadsOn: boolean;
  /** The code of a `failed`. */
  readonly code: number;
}

interface Batch {
  readonly statuses: readonly PendingStatus[];
  readonly delivery: Delivery;
}

const limits = { perWebhook: 100, atOnce: 16, pending: 200_000 };
/** Milliseconds between two looks at the queue: what comes due meanwhile goes out in one webhook. */
const tickMs = 5;

const usual: readonly string[] = ["sent", "delivered", "read"];
const failing: readonly string[] = ["sent", "failed"];

/**
 * Delivers the statuses of accepted messages. Every wait is equally long, so one queue in the order of arrival is
 * also in the order of time and one timer serves all. A message's next status is queued when the one before it has
 * arrived, so its statuses keep their order whatever the retries of others.
 */
export class StatusQueue {
  private readonly waiting = new Fifo<PendingStatus>();
  private readonly due = new Fifo<PendingStatus>();
  /** Batches whose wait for another attempt is over. */
  private readonly again = new Fifo<Batch>();
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  private running = 0;
  private pending = 0;
  private dropped = 0;
  /** Counts the resets, so that a webhook in flight over one leaves no trace behind it. */
  private era = 0;
  private current = normalBehaviour;
  private random = new Random(normalBehaviour.seed);

  constructor(
    private readonly webhooks: Webhooks,
    private readonly delayMs: number,
    private readonly log: (line: string) => void,
  ) {}

  get behaviour(): StatusBehaviour {
    return this.current;
  }

  behave(behaviour: StatusBehaviour): void {
    this.current = behaviour;
    this.random = new Random(behaviour.seed);
    // After a pause the first look is a whole tick away: what was accepted just before its end is due by then too.
    clearTimeout(this.timer?.handle);
    this.timer = undefined;
    this.arm();
  }

  counts(): { pending: number; dropped: number } {
    return { pending: this.pending, dropped: this.dropped };
  }

  add(message: CloudMessage): void {
    if (this.webhooks.target === undefined) return;
    const { shuffled, failNumbers, failCode } = this.current;
    const steps = failNumbers.has(message.to) ? failing : usual;
    const first = { message, steps, step: 0, dueAt: Date.now() + this.delayMs, leadsOn: !shuffled, code: failCode };
    this.queue(first);
    if (shuffled) for (let step = 1; step < steps.length; step += 1) this.queue({ ...first, step });
    this.arm();
  }

  reset(): void {
    this.era += 1;
    this.waiting.clear();
    this.due.clear();
    this.again.clear();
    this.pending = 0;
    this.dropped = 0;
    this.behave(normalBehaviour);
  }

  private queue(status: PendingStatus): void {
    if (this.pending >= limits.pending) {
      this.dropped += 1;
      return;
    }
    this.pending += 1;
    this.waiting.push(status);
  }

  /** Sets the timer to the next moment at which there is something to do. */
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

  private nextBatch(): Batch | undefined {
    const statuses: PendingStatus[] = [];
    while (statuses.length < limits.perWebhook && this.due.length > 0) {
      if (this.current.shuffled) this.due.promote(this.random.between(0, this.due.length - 1));
      const next = this.due.shift();
      if (next !== undefined) statuses.push(next);
    }
    if (statuses.length === 0) return undefined;
    return { statuses, delivery: this.webhooks.delivery(this.payload(statuses)) };
  }

  private async deliver(batch: Batch): Promise<void> {
    const { era } = this;
    this.running += 1;
    const outcome = await this.webhooks.attempt(batch.delivery);
    this.running -= 1;
    if (era === this.era) {
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

  private settle({ statuses }: Batch, arrived: boolean): void {
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

  private payload(statuses: readonly PendingStatus[]): object {
    const bySender = [...groupBy(statuses, ({ message }) => message.sender)];
    return changesEnvelope(
      bySender.map(([sender, own]) => ({
        sender,
        field: "messages",
        value: { statuses: own.map((status) => this.wire(status)) },
      })),
    );
  }

  private wire(status: PendingStatus): object {
    const { message, step, code } = status;
    const name = nameOf(status);
    const happenedAt = message.at + (step + 1) * this.delayMs;
    const title = titleOf(code);
    return {
      id: message.id,
      status: name,
      timestamp: String(Math.floor(happenedAt / 1000)),
      recipient_id: message.to,
      biz_opaque_callback_data: message.reference,
      errors: name === "failed" ? [{ code, title, message: title, error_data: { details: title } }] : undefined,
    };
  }
}

const nameOf = ({ steps, step }: PendingStatus): string => steps[step] ?? "sent";
