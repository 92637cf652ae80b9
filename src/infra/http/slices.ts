/** Milliseconds for which requests may begin within one turn of the event loop. */
const sliceMs = 8;
/** How many waiting requests may begin within one turn. */
const mostPerTurn = 256;

/**
 * Spreads a burst of requests over several turns of the event loop; otherwise hundreds would begin before another
 * client's request is read. Waiting keys (addresses or businesses) take turns.
 */
export class Slices<Key> {
  private readonly waiting = new Map<Key, (() => void)[]>();
  private count = 0;
  /** When the first request of this turn began. */
  private began: number | undefined;
  /** Scheduled calls of `step`. */
  private steps = 0;

  run(key: Key, work: () => void): void {
    if (this.began === undefined) {
      this.beginTurn();
      work();
    } else if (this.count === 0 && performance.now() - this.began < sliceMs) {
      work();
    } else {
      const others = this.waiting.get(key);
      if (others) others.push(work);
      else this.waiting.set(key, [work]);
      this.count += 1;
      if (this.steps < mostPerTurn) this.schedule();
    }
  }

  /** Scheduled before the first step, and so called before the steps of each turn. */
  private beginTurn(): void {
    this.began = performance.now();
    setImmediate(() => {
      if (this.steps > 0) this.beginTurn();
      else this.began = undefined;
    });
  }

  private schedule(): void {
    this.steps += 1;
    setImmediate(this.step);
  }

  /**
   * Begins one request. Each has a step of its own, because Node runs promises between them: what a request does at
   * once counts in the slice, and the next one finds the queues as they are then.
   */
  private readonly step = (): void => {
    this.steps -= 1;
    const isOver = performance.now() - (this.began ?? 0) >= sliceMs;
    const work = isOver ? undefined : this.takeNext();
    if (this.count > this.steps) this.schedule();
    work?.();
  };

  private takeNext(): (() => void) | undefined {
    for (const [key, works] of this.waiting) {
      const work = works.shift();
      this.count -= 1;
      this.waiting.delete(key);
      if (works.length > 0) this.waiting.set(key, works);
      return work;
    }
    return undefined;
  }
}
