/** Milliseconds of work that requests begin before the event loop goes round. */
const sliceMs = 8;

/**
 * Spreads a burst of strangers' requests over several turns of the event loop. Hundreds that arrive in one turn would all be begun
 * before anybody else's request is as much as read. What is left over begins in later turns, by turns among addresses.
 */
export class Slices {
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When this turn's first request began. */
  private began: number | undefined;
  private readonly next = () => this.goOn();

  /** Begins the work at once, or when its address's turn has come. */
  run(address: string, work: () => void): void {
    if (this.began === undefined) {
      this.began = performance.now();
      setImmediate(this.next);
      work();
    } else if (this.waiting.size === 0 && performance.now() - this.began < sliceMs) {
      work();
    } else {
      const others = this.waiting.get(address);
      if (others) others.push(work);
      else this.waiting.set(address, [work]);
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
    for (const [address, works] of this.waiting) {
      const work = works.shift();
      this.waiting.delete(address);
      if (works.length > 0) this.waiting.set(address, works);
      work?.();
      if (performance.now() - began >= sliceMs) return;
    }
  }
}
