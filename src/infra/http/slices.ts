/** Milliseconds for which requests may begin within one turn of the event loop. */
const sliceMs = 8;
/** How many waiting requests may begin within one turn. */
const mostPerTurn = 256;

/**
 * Spreads a burst of requests over several turns of the event loop, so that requests of other clients are read in
 * between. The keys of waiting requests (addresses or businesses) are served in rotation.
 */
export class Slices<Key> {
  private readonly waiting = new Map<Key, (() => void)[]>();
  private count = 0;
  /** The time at which this turn's slice began; undefined before it begins. */
  private began: number | undefined;
  /** The number of scheduled calls of `step`. */
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

  /** Schedules its own next call before any step, so that `began` is set before the steps of the next turn run. */
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
   * Begins one request, unless the time of this turn is over. Each request has a step of its own, because Node runs the
   * callbacks of promises between steps. So the turn's time includes a request's first callbacks, and the next request
   * sees what these callbacks changed in the queues.
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
