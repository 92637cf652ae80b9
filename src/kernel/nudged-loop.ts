/** Runs work in the background, never twice at a time. A nudge during a run causes one more run. */
export class NudgedLoop {
  private running: Promise<void> | undefined;
  private again = false;
  private readonly stopping = new AbortController();

  /**
   * @param work - does all that is due, or stops when its signal is aborted. Errors go to `onError`; the next nudge
   *   tries again.
   */
  constructor(
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Returns at once. */
  nudge(): void {
    this.again = true;
    if (!this.stopping.signal.aborted) this.running ??= this.run();
  }

  /** Aborts the running work and waits for it. Later nudges do nothing. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (this.again && !signal.aborted) {
      this.again = false;
      await this.work(signal).catch(this.onError);
    }
    this.running = undefined;
  }
}
