import { NudgedLoop } from "../../../kernel/nudged-loop.ts";
import type { Channels } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import { DrainSender, type DrainSettings } from "./drain-sender.ts";
import type { CampaignQueue, SenderLease, Statistics, Timing } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

interface DispatchSettings extends DrainSettings {
  /** Identifies this process among all workers. */
  readonly worker: string;
  /** How many senders this process drains at a time. */
  readonly mostSenders: number;
}

interface Drain {
  readonly ended: Promise<void>;
  readonly stop: AbortController;
}

/**
 * All processes are woken together. A process that already has work waits this long, so that the others can take free
 * senders.
 */
const leaveToOthersMs = 400;

/**
 * Drains, in parallel, every sender that has due recipients and no other worker. To share the senders, a worker first
 * takes one sender and then waits, so that other workers can take some.
 */
export class DispatchCampaigns {
  private readonly drains = new Map<SenderLease, Drain>();
  private readonly looking: NudgedLoop;
  private readonly analyzing: NudgedLoop;
  private readonly stopping = new AbortController();
  private waiting: Promise<void> | undefined;
  /** After taking a sender, this process takes no more until this time, so that other workers can take some. */
  private leavesUntil = 0;

  constructor(
    private readonly queue: CampaignQueue,
    statistics: Statistics,
    private readonly channels: Channels,
    private readonly recorder: RecordCampaign,
    private readonly announcer: CampaignAnnouncer,
    private readonly timing: Timing,
    private readonly settings: DispatchSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    this.looking = new NudgedLoop(() => this.takeSome(), onError);
    this.analyzing = new NudgedLoop(() => statistics.refresh(), onError);
  }

  /**
   * Begins to look for work in the background and returns at once. Looks again as long as this process has work. Call
   * `wake` in all processes together: those that already have work begin a little later and leave work to the others.
   */
  wake(): void {
    if (this.drains.size === 0) this.looking.nudge();
    else {
      this.waiting ??= this.timing.sleep(leaveToOthersMs, this.stopping.signal).then(() => {
        this.waiting = undefined;
        this.looking.nudge();
      });
    }
  }

  /** Works until nothing is due that this process may send. */
  async runToEnd(): Promise<void> {
    do {
      await this.take(this.settings.mostSenders);
      await this.drained();
    } while ((await this.take(this.settings.mostSenders)) > 0);
  }

  /** Begins nothing new, and waits until all open requests are recorded. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.waiting, this.looking.stop(), this.analyzing.stop()]);
    for (const { stop } of this.drains.values()) stop.abort();
    await this.drained();
  }

  private async drained(): Promise<void> {
    await Promise.all([...this.drains.values()].map(({ ended }) => ended));
  }

  /** Takes one sender first, and then doubles the number each time, so that a single worker soon has all senders. */
  private async takeSome(): Promise<void> {
    if (this.timing.now() < this.leavesUntil) return this.wake();
    const taken = await this.take(Math.max(1, this.drains.size));
    if (taken > 0) this.leavesUntil = this.timing.now() + leaveToOthersMs;
    if (this.drains.size > 0) this.analyzing.nudge();
    if (taken > 0 || this.drains.size > 0) this.wake();
  }

  /** Takes up to `most` senders and returns how many it took. */
  private async take(most: number): Promise<number> {
    const free = Math.min(most, this.settings.mostSenders - this.drains.size);
    if (free <= 0 || this.stopping.signal.aborted) return 0;
    const leases = await this.queue.lease(this.settings.worker, free, (businessId, campaignIds, error) => {
      this.onError(error);
      this.announcer.touch(businessId, campaignIds);
    });
    for (const lease of leases) {
      const stop = new AbortController();
      if (this.stopping.signal.aborted) stop.abort();
      this.drains.set(lease, { stop, ended: this.drain(lease, stop.signal) });
    }
    return leases.length;
  }

  private async drain(lease: SenderLease, signal: AbortSignal): Promise<void> {
    const { queue, recorder, announcer, timing, settings, onError } = this;
    const channel = this.channels[lease.sender.channel];
    try {
      const drain = new DrainSender(lease, queue, channel, recorder, announcer, timing, settings, onError);
      await queue.release(lease, await drain.run(signal));
    } catch (error) {
      onError(error);
    } finally {
      this.drains.delete(lease);
      if (this.drains.size === 0) this.leavesUntil = 0;
    }
  }
}
