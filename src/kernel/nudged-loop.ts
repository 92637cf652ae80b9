/** Does a piece of work in the background, once at a time, and once more when nudged meanwhile. */
export class NudgedLoop {
  private running: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** @param work - does all there is to do; a rejection goes to `onError`, and the next nudge tries again */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Returns at once. */
  nudge(): void {
    this.again = true;
    if (!this.stopped) this.running ??= this.run();
  }

  /** Resolves when the work that is going on has ended; later nudges do nothing. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      await this.work().catch(this.onError);
    }
    this.running = undefined;
  }
}
