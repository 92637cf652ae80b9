import { NudgedLoop } from "../../../kernel/nudged-loop.ts";

interface GivesOut {
  executeFor(businessId: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * Assigns a business's waiting chats and tickets in the background, as soon as an agent comes back. If the process
 * stops before they are assigned, the regular job for all businesses assigns them.
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
