/** Lets `width` pieces of work run at a time; the others wait in the order in which they came. */
export class Gate {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.width) this.running++;
    else await new Promise<void>((turn) => this.waiting.push(turn));
    try {
      return await work();
    } finally {
      // Whoever waited longest takes over the place; only when nobody waits does it fall free.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
