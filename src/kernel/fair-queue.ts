import { Busy } from "./errors.ts";

export interface FairQueueSettings {
  /** The metric label. */
  readonly name: string;
  /** How many pieces of work may run at a time, for all keys together. */
  readonly width: number;
  /** How many pieces of work may run at a time for one key. */
  readonly widthPerKey: number;
  /** How many pieces of work of one key may wait. */
  readonly queuePerKey: number;
  /**
   * How many pieces of work of all keys together may wait. When so many wait, work of a key that has no waiters takes
   * the place of the newest waiter of the key that has the most.
   */
  readonly queue: number;
  readonly waitMs: number;
  /**
   * From these queue lengths on, `check` refuses new work: `perKey` for one key, `all` for all keys together. They are
   * lower than `queuePerKey` and `queue`, so that work that has passed `check` still finds room. A key with fewer than
   * `least` waiters, or fewer than its equal share of `all`, is not refused because of `all`.
   */
  readonly overload?: { readonly perKey: number; readonly all: number; readonly least: number };
  /** Makes the error for refused work; `Busy` unless given. `check` always throws `Busy`. */
  readonly refusal?: (busy: Busy) => Error;
}

interface Waiter {
  readonly enter: () => void;
  readonly giveUp: (reason: unknown) => void;
}

/** The running and waiting work of one key. Deleted when it has neither. */
interface Party {
  running: number;
  waiting: Set<Waiter>;
}

/** The empty `waiting` of parties that never had to wait. A set for each party would be the queue's largest cost. */
const nothing = new Set<Waiter>();

/**
 * Limits how much work runs at once, and shares the places among keys (businesses or addresses). Waiting keys take
 * turns, however much work each of them has. Every second free place goes to a newcomer: a key that had nothing running
 * when it began to wait. Refuses work with `Busy`, which tells whether the key's own work is the cause.
 */
export class FairQueue {
  private running = 0;
  private queued = 0;
  private readonly parties = new Map<string | number, Party>();
  /** Waiting keys that are not newcomers, in the order of their turns. */
  private readonly turns = new Set<Party>();
  /** Keys that had nothing running when they began to wait. */
  private readonly newcomers = new Set<Party>();
  private isForNewcomers = true;

  constructor(readonly settings: FairQueueSettings) {}

  /** Rejects with the refusal's error, or with the signal's reason if the signal is aborted before the work begins. */
  async run<Result>(key: string | number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const party = this.partyOf(key);
    if (this.hasRoomFor(party)) this.begin(party);
    else await this.wait(key, party, signal);
    try {
      return await work();
    } finally {
      this.end(key, party);
    }
  }

  /** Like `acquire`, but returns undefined if there is no free place now. */
  tryAcquire(key: string | number): (() => void) | undefined {
    const party = this.partyOf(key);
    if (!this.hasRoomFor(party)) {
      this.forgetIdle(key, party);
      return undefined;
    }
    this.begin(party);
    return () => this.end(key, party);
  }

  /** Like `run`, for work that ends elsewhere: the caller must call the returned function once. */
  async acquire(key: string | number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const party = this.partyOf(key);
    if (this.hasRoomFor(party)) this.begin(party);
    else await this.wait(key, party, signal);
    return () => this.end(key, party);
  }

  /** Throws `Busy` if new work of this key should not begin. Does not reserve a place. */
  check(key: string | number): void {
    const against = this.refusalReason(key);
    if (against) throw this.busy(against === "own", 1);
  }

  /**
   * Why new work of this key should not begin. `own`: its own queue has reached `overload.perKey`. `all`: all queues
   * together have reached `overload.all`, and the key already has its equal share waiting.
   *
   * @param least - a key with fewer waiters than this is never refused as `all`; `overload.least` by default
   */
  refusalReason(key: string | number, least = this.settings.overload?.least ?? 0): "own" | "all" | undefined {
    const { overload } = this.settings;
    if (this.queued === 0 || !overload) return undefined;
    const waiting = this.parties.get(key)?.waiting.size ?? 0;
    if (waiting >= overload.perKey) return "own";
    if (!this.isOverloaded) return undefined;
    const share = overload.all / (this.turns.size + this.newcomers.size);
    return waiting >= Math.max(share, least) ? "all" : undefined;
  }

  get isOverloaded(): boolean {
    return this.queued >= (this.settings.overload?.all ?? Number.POSITIVE_INFINITY);
  }

  stats(): { readonly running: number; readonly waiting: number } {
    return { running: this.running, waiting: this.queued };
  }

  private partyOf(key: string | number): Party {
    let party = this.parties.get(key);
    if (!party) {
      party = { running: 0, waiting: nothing };
      this.parties.set(key, party);
    }
    return party;
  }

  private hasRoomFor(party: Party): boolean {
    return this.running < this.settings.width && party.running < this.settings.widthPerKey;
  }

  private begin(party: Party): void {
    this.running += 1;
    party.running += 1;
  }

  private end(key: string | number, party: Party): void {
    this.running -= 1;
    party.running -= 1;
    // A key that just had a place goes behind all other keys in `turns`.
    if (this.turns.delete(party)) this.turns.add(party);
    this.letIn();
    this.forgetIdle(key, party);
  }

  private forgetIdle(key: string | number, party: Party): void {
    if (party.running === 0 && party.waiting.size === 0) this.parties.delete(key);
  }

  private wait(key: string | number, party: Party, signal: AbortSignal | undefined): Promise<void> {
    try {
      this.refuseBeyond(party);
    } catch (error) {
      this.forgetIdle(key, party);
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        party.waiting.delete(waiter);
        if (party.waiting.size === 0) {
          this.turns.delete(party);
          this.newcomers.delete(party);
        }
        this.queued -= 1;
      };
      const giveUp = (reason: unknown) => {
        leave();
        this.forgetIdle(key, party);
        reject(reason);
      };
      const waiter: Waiter = {
        enter: () => {
          leave();
          this.begin(party);
          resolve();
        },
        giveUp,
      };
      const onAbort = () => giveUp(signal?.reason);
      const timer = setTimeout(() => giveUp(this.refusal(this.isFull(party))), this.settings.waitMs).unref();
      signal?.addEventListener("abort", onAbort);
      const isNew = party.running === 0 && party.waiting.size === 0;
      if (isNew) this.newcomers.add(party);
      else if (!this.newcomers.has(party)) this.turns.add(party);
      if (party.waiting === nothing) party.waiting = new Set();
      party.waiting.add(waiter);
      this.queued += 1;
    });
  }

  private refuseBeyond(party: Party): void {
    if (party.waiting.size >= this.settings.queuePerKey) throw this.refusal(true);
    if (this.queued < this.settings.queue) return;
    if (party.waiting.size > 0) throw this.refusal(this.isFull(party));
    this.makeRoom();
  }

  /** Refuses the newest waiter of the key with the most waiters. Throws if no key has two waiters. */
  private makeRoom(): void {
    let largest: Party | undefined;
    for (const party of [...this.turns, ...this.newcomers]) {
      if (party.waiting.size > (largest?.waiting.size ?? 1)) largest = party;
    }
    const newest = [...(largest?.waiting ?? [])].at(-1);
    if (!newest) throw this.refusal(false);
    newest.giveUp(this.refusal(true));
  }

  private isFull(party: Party): boolean {
    return party.running >= this.settings.widthPerKey;
  }

  private busy(isOwnDoing: boolean, retryAfter: number): Busy {
    return new Busy(this.settings.name, isOwnDoing, retryAfter);
  }

  private refusal(isOwnDoing: boolean): Error {
    const { refusal, waitMs } = this.settings;
    const busy = this.busy(isOwnDoing, Math.max(1, Math.ceil(waitMs / 1_000)));
    return refusal ? refusal(busy) : busy;
  }

  /** Gives free places to waiting keys. A key that got a place and has more waiters goes to the end of `turns`. */
  private letIn(): void {
    while (this.running < this.settings.width) {
      const lines = this.isForNewcomers ? [this.newcomers, this.turns] : [this.turns, this.newcomers];
      const party = lines.flatMap((line) => this.firstWithRoom(line) ?? [])[0];
      const [first] = party?.waiting ?? [];
      if (!party || !first) return;
      this.isForNewcomers = !this.isForNewcomers;
      this.turns.delete(party);
      this.newcomers.delete(party);
      first.enter();
      if (party.waiting.size > 0) this.turns.add(party);
    }
  }

  private firstWithRoom(line: ReadonlySet<Party>): Party | undefined {
    for (const party of line) if (party.running < this.settings.widthPerKey) return party;
    return undefined;
  }
}
