import { NudgedLoop } from "../../../kernel/nudged-loop.ts";

interface GivesOut {
  executeFor(businessId: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * Gives out what waits in a business as soon as an agent came back, in the background. The regular job does the same for
 * all businesses, so that nothing is lost with a process that stops.
 */
export class GiveOutSoon {
  private readonly businessIds = new Set<number>();
  private readonly loop: NudgedLoop;

  constructor(
    private readonly lines: readonly GivesOut[],
    onFailure: (error: unknown) => void,
  ) {
    this.loop = new NudgedLoop((signal) => this.work(signal), onFailure);
  }

  /** Returns at once. */
  nudge(businessId: number): void {
    this.businessIds.add(businessId);
    this.loop.nudge();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async work(signal: AbortSignal): Promise<void> {
    for (const businessId of this.businessIds) {
      if (signal.aborted) return;
      this.businessIds.delete(businessId);
      for (const each of this.lines) await each.executeFor(businessId, signal);
    }
  }
}
