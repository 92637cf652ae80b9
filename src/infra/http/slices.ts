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

  /** This method is scheduled before the first step, so it is called before the steps of each turn. */
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
   * Begins one request. Each request has a step of its own, because Node runs promises between steps. So the immediate
   * work of a request counts in the slice, and the next request finds the queues as that work left them.
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
