import { KeyedMutex } from "../../kernel/keyed-mutex.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import type { ClaimedDelivery, DeliveryQueue, EndpointLease } from "./ports.ts";

/** One claim takes at most this many deliveries for a first attempt, and as many for a repeated attempt. */
const inHand = 32;
/** The most attempts at the same time: normally, and after an attempt to which the endpoint gave no answer. */
const atOnce = 8;
const atOnceUnanswered = 1;
/** The lease is renewed and new deliveries are claimed at least this often, in milliseconds. */
const lookMs = 5_000;
/** Milliseconds for which the lease is kept without deliveries, so that the next delivery needs no new lease. */
const lingerMs = 500;

/** `left`: no result was recorded. If the delivery still waits, it is attempted under another lease. */
export type Attempted = "answered" | "unanswered" | "left";

/**
 * Makes the attempts at one endpoint under one lease. First attempts about one subject (a chat, an order) run one after
 * the other. A failed attempt is repeated later, and does not delay the next one.
 */
export class DrainEndpoint {
  private readonly mutex = new KeyedMutex();
  private readonly limited = semaphore(atOnce);
  private readonly narrow = semaphore(atOnceUnanswered);
  private isAnswering = true;
  /** Whether a delivery was left for another lease. Then nothing more is claimed under this lease. */
  private isLeaving = false;
  /** Subjects whose first attempt was left: later events about them are left, too, so that the order is kept. */
  private readonly leftSubjects = new Set<string>();
  private readonly pending = new Map<number, Promise<void>>();
  private wake: () => void = () => {};
  private changed = false;

  constructor(
    readonly lease: EndpointLease,
    private readonly queue: Pick<DeliveryQueue, "claim" | "release">,
    /** Never rejects. */
    private readonly attempt: (delivery: ClaimedDelivery) => Promise<Attempted>,
  ) {}

  /** Tells that there may be more to deliver. Returns at once. */
  poke(): void {
    this.changed = true;
    this.wake();
  }

  /** Resolves when nothing is due, a delivery was left for another lease, this lease is lost or `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (let isIdle = false; !signal.aborted && !this.isLeaving; ) {
        this.changed = false;
        const claimed = await this.queue.claim(this.lease, Math.max(0, inHand - this.pending.size));
        for (const delivery of claimed ?? []) this.start(delivery);
        if (!claimed || (isIdle && this.pending.size === 0)) break;
        isIdle = this.pending.size === 0;
        await this.somethingNew(isIdle ? lingerMs : lookMs, signal);
      }
    } finally {
      await Promise.all(this.pending.values());
      await this.queue.release(this.lease);
    }
  }

  private start(delivery: ClaimedDelivery): void {
    const { id, subject, failures } = delivery;
    const attempt = () => this.limited(() => this.attemptOne(delivery));
    const attempted = failures === 0 ? this.mutex.runExclusive(subject, attempt) : attempt();
    const ended = attempted.finally(() => {
      this.pending.delete(id);
      this.poke();
    });
    this.pending.set(id, ended);
  }

  private async attemptOne(delivery: ClaimedDelivery): Promise<void> {
    const { subject, failures } = delivery;
    if (failures === 0 && this.leftSubjects.has(subject)) return;
    const attempt = async () => {
      const attempted = await this.attempt(delivery);
      if (attempted !== "left") this.isAnswering = attempted === "answered";
      else {
        this.isLeaving = true;
        if (failures === 0) this.leftSubjects.add(subject);
      }
    };
    await (this.isAnswering ? attempt() : this.narrow(attempt));
  }

  /** Resolves when `poke` is called or `signal` is aborted, at the latest after `withinMs` milliseconds. */
  private async somethingNew(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.changed || signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, withinMs);
      signal.addEventListener("abort", this.wake, { once: true });
    });
    clearTimeout(timer);
    signal.removeEventListener("abort", this.wake);
    this.wake = () => {};
  }
}
