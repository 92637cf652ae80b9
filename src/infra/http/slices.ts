/** Milliseconds for which requests may begin within one turn of the event loop. */
const sliceMs = 8;

/**
 * Spreads a burst of requests over several turns of the event loop; otherwise hundreds would begin before another
 * client's request is read. Waiting keys (addresses or businesses) take turns.
 */
export class Slices<Key> {
  private readonly waiting = new Map<Key, (() => void)[]>();
  /** When the first request of this turn began. */
  private began: number | undefined;
  private readonly next = () => this.goOn();

  run(key: Key, work: () => void): void {
    if (this.began === undefined) {
      this.began = performance.now();
      setImmediate(this.next);
      work();
    } else if (this.waiting.size === 0 && performance.now() - this.began < sliceMs) {
      work();
    } else {
      const others = this.waiting.get(key);
      if (others) others.push(work);
      else this.waiting.set(key, [work]);
    }
  }

  private goOn(): void {
    if (this.waiting.size === 0) {
      this.began = undefined;
      return;
    }
    const began = performance.now();
    this.began = began;
    setImmediate(this.next);
    for (const [key, works] of this.waiting) {
      const work = works.shift();
      this.waiting.delete(key);
      if (works.length > 0) this.waiting.set(key, works);
      work?.();
      if (performance.now() - began >= sliceMs) return;
    }
  }
}
