import { Busy } from "./errors.ts";

export interface FairGateSettings {
  /** The cause that metrics name. */
  readonly name: string;
  /** Pieces of work at a time, of all keys together. */
  readonly width: number;
  /** Of one key. */
  readonly widthOfOne: number;
  /** Pieces of work of one key that may wait. */
  readonly queueOfOne: number;
  /** Of all keys together. When it is full, a key with nothing waiting replaces the newest waiter of the key with most. */
  readonly queue: number;
  /** Milliseconds that a piece of work waits at most. */
  readonly waitMs: number;
  /** What may wait before `check` turns new work away: less than the queues hold, so that work begun finds room. */
  readonly crowd?: { readonly ofOne: number; readonly all: number };
  /** What work is refused with in place of `Busy`; `check` throws that in any case. */
  readonly refusal?: (busy: Busy) => Error;
}

interface Waiter {
  readonly enter: () => void;
  readonly giveUp: (reason: unknown) => void;
}

/** What one key has running and waiting. Forgotten when it has neither. */
interface Party {
  running: number;
  waiting: Set<Waiter>;
}

/** Of a party that has had to wait for nothing yet: most never have, and a set for each would cost more than the rest. */
const nothing = new Set<Waiter>();

/**
 * Shares places among keys, such as businesses or addresses: while several wait, they take turns, whatever each of
 * them asks for. A key that had nothing under way waits behind those like it and not behind all that are busy. Who cannot be let in is told so with `Busy`: as its own doing where its key holds its whole share or its
 * whole queue, else as the process's.
 */
export class FairGate {
  private running = 0;
  private queued = 0;
  private readonly parties = new Map<string | number, Party>();
  /** The keys with something waiting, in the order of their turns. */
  private readonly turns = new Set<Party>();
  /** Those of them that had nothing under way when they came: every second place is theirs. */
  private readonly newcomers = new Set<Party>();
  private isForNewcomers = true;

  constructor(readonly settings: FairGateSettings) {}

  /** Rejects with `Busy`, or with the signal's reason when it is aborted before the work began. */
  async pass<Result>(key: string | number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
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

  /** As `enter`, where there is room at once. */
  enterNow(key: string | number): (() => void) | undefined {
    const party = this.partyOf(key);
    if (!this.hasRoomFor(party)) {
      this.forgetIdle(key, party);
      return undefined;
    }
    this.begin(party);
    return () => this.end(key, party);
  }

  /** As `pass`, for work that ends elsewhere: whoever gets in must call the function it is given, once. */
  async enter(key: string | number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const party = this.partyOf(key);
    if (this.hasRoomFor(party)) this.begin(party);
    else await this.wait(key, party, signal);
    return () => this.end(key, party);
  }

  /** Throws `Busy` where new work of this key had better not begin. Holds no place. */
  check(key: string | number): void {
    const against = this.objection(key);
    if (against) throw this.busy(against === "own", 1);
  }

  /**
   * What speaks against new work of this key: its own work, which fills what one key may have waiting, or everybody's. In
   * a crowd those are let in who have less waiting than an equal share.
   */
  objection(key: string | number): "own" | "all" | undefined {
    const { crowd } = this.settings;
    if (this.queued === 0 || !crowd) return undefined;
    const waiting = this.parties.get(key)?.waiting.size ?? 0;
    if (waiting >= crowd.ofOne) return "own";
    return this.isCrowded && waiting * (this.turns.size + this.newcomers.size) >= crowd.all ? "all" : undefined;
  }

  /** Whether as much waits as may. */
  get isCrowded(): boolean {
    return this.queued >= (this.settings.crowd?.all ?? Number.POSITIVE_INFINITY);
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
    return this.running < this.settings.width && party.running < this.settings.widthOfOne;
  }

  private begin(party: Party): void {
    this.running += 1;
    party.running += 1;
  }

  private end(key: string | number, party: Party): void {
    this.running -= 1;
    party.running -= 1;
    // A key that just had a place comes after all keys that waited.
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
      const timer = setTimeout(() => giveUp(this.refusal(this.isFull(party))), this.settings.waitMs);
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
    if (party.waiting.size >= this.settings.queueOfOne) throw this.refusal(true);
    if (this.queued < this.settings.queue) return;
    if (party.waiting.size > 0) throw this.refusal(this.isFull(party));
    this.makeRoom();
  }

  /** Drops the newest waiter of the key that has most waiting. */
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
    return party.running >= this.settings.widthOfOne;
  }

  private busy(isOwnDoing: boolean, retryAfter: number): Busy {
    return new Busy(this.settings.name, isOwnDoing, retryAfter);
  }

  private refusal(isOwnDoing: boolean): Error {
    const { refusal, waitMs } = this.settings;
    const busy = this.busy(isOwnDoing, Math.max(1, Math.ceil(waitMs / 1_000)));
    return refusal ? refusal(busy) : busy;
  }

  /** A key that was let in goes to the end of the turns. */
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
    for (const party of line) if (party.running < this.settings.widthOfOne) return party;
    return undefined;
  }
}
