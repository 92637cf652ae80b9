import { KeyedMutex } from "../../kernel/keyed-mutex.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import type { ClaimedDelivery, DeliveryQueue, EndpointLease } from "./ports.ts";

/** Deliveries of one endpoint that a process has in hand. */
const inHand = 32;
/** Of these the ones that are being attempted, and as long as the endpoint leaves attempts without an answer. */
const atOnce = 8;
const atOnceUnanswered = 1;
/** Milliseconds after which the lease is renewed at the latest, and what came due meanwhile is looked for. */
const lookMs = 5_000;
/** Milliseconds for which an endpoint is kept in hand once it has all: what comes next need not wait for a new lease. */
const lingerMs = 500;

/** `left`: it waits on, and only another lease takes it up again. */
export type Attempted = "answered" | "unanswered" | "left";

/**
 * Delivers what is due to one endpoint, for as long as something is. First attempts about one subject are made one after
 * the other; a failed one holds up nothing, since it is tried again later.
 */
export class DrainEndpoint {
  private readonly mutex = new KeyedMutex();
  private readonly limited = semaphore(atOnce);
  private readonly narrow = semaphore(atOnceUnanswered);
  private isAnswering = true;
  /** Something was left: were more claimed under this lease, it would wait for as long as the endpoint is busy. */
  private isLeaving = false;
  private readonly underWay = new Map<number, Promise<void>>();
  private wake: () => void = () => {};
  private changed = false;

  constructor(
    readonly lease: EndpointLease,
    private readonly queue: Pick<DeliveryQueue, "claim" | "release">,
    /** Never rejects. */
    private readonly attempt: (delivery: ClaimedDelivery) => Promise<Attempted>,
  ) {}

  /** There may be more to deliver. Returns at once. */
  poke(): void {
    this.changed = true;
    this.wake();
  }

  /**
   * Resolves when nothing is due, something was left, the lease is lost, or `signal` is aborted; what is under way has
   * ended by then.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (let isIdle = false; !signal.aborted && !this.isLeaving; ) {
        const claimed = await this.claimMore();
        if (!claimed || (isIdle && this.underWay.size === 0)) break;
        isIdle = this.underWay.size === 0;
        await this.somethingNew(isIdle ? lingerMs : lookMs, signal);
      }
    } finally {
      await Promise.all(this.underWay.values());
      await this.queue.release(this.lease);
    }
  }

  /** False where there is no more to do for the endpoint under this lease. */
  private async claimMore(): Promise<boolean> {
    this.changed = false;
    const claimed = await this.queue.claim(this.lease, Math.max(0, inHand - this.underWay.size));
    if (!claimed) return false;
    for (const delivery of claimed) this.start(delivery);
    return true;
  }

  private start(delivery: ClaimedDelivery): void {
    const { id, subject, failures } = delivery;
    const attempt = () => this.limited(() => this.attemptOne(delivery));
    const attempted = failures === 0 ? this.mutex.runExclusive(subject, attempt) : attempt();
    const ended = attempted.finally(() => {
      this.underWay.delete(id);
      this.poke();
    });
    this.underWay.set(id, ended);
  }

  private async attemptOne(delivery: ClaimedDelivery): Promise<void> {
    const attempt = async () => {
      const attempted = await this.attempt(delivery);
      if (attempted === "left") this.isLeaving = true;
      else this.isAnswering = attempted === "answered";
    };
    await (this.isAnswering ? attempt() : this.narrow(attempt));
  }

  /** A delivery has ended, there may be more, or the lease is to be renewed. */
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
