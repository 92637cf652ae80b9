/** Runs the work of one key in order, one piece at a time. Different keys do not wait for each other. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Work that fails does not hold up the next work of its key. */
  async runExclusive<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
