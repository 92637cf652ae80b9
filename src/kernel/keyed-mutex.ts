/** Does the work of one key piece by piece, in the order in which it came; other keys do not wait. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `work` does. A piece that fails does not hold up the next. */
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
