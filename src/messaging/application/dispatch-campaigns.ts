import type { ChannelName } from "../../kernel/channels.ts";
import { NudgedLoop } from "../../kernel/nudged-loop.ts";
import type { CampaignQueue, SenderLease } from "./campaign-ports.ts";
import type { CampaignProgress } from "./campaign-progress.ts";
import { DrainSender, type DrainSettings } from "./drain-sender.ts";
import type { Channel, Timing } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

export interface DispatchSettings extends DrainSettings {
  /** Tells this process from all others. */
  readonly worker: string;
  /** Numbers that this process drains at a time. */
  readonly mostSenders: number;
}

/** Drains every number that has something due and that no other worker drains, side by side. */
export class DispatchCampaigns {
  private readonly drains = new Map<SenderLease, Promise<void>>();
  private readonly looking: NudgedLoop;
  private readonly stopping = new AbortController();

  constructor(
    private readonly queue: CampaignQueue,
    private readonly channelOf: (name: ChannelName) => Channel,
    private readonly recorder: RecordCampaign,
    private readonly progress: CampaignProgress,
    private readonly timing: Timing,
    private readonly settings: DispatchSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    this.looking = new NudgedLoop(async () => void (await this.look()), onError);
  }

  /** Looks for work in the background; returns at once. */
  wake(): void {
    this.looking.nudge();
  }

  /** Works until nothing is due that this process could do. */
  async runToEnd(): Promise<void> {
    do {
      await this.look();
      await Promise.all(this.drains.values());
    } while ((await this.look()) > 0);
  }

  /** Begins nothing new and waits until what is under way is recorded. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking.stop();
    await Promise.all(this.drains.values());
  }

  /** How many numbers it took. */
  private async look(): Promise<number> {
    const free = this.settings.mostSenders - this.drains.size;
    if (free <= 0 || this.stopping.signal.aborted) return 0;
    const leases = await this.queue.lease(this.settings.worker, free);
    for (const lease of leases) this.drains.set(lease, this.drain(lease));
    return leases.length;
  }

  private async drain(lease: SenderLease): Promise<void> {
    const { queue, recorder, progress, timing, settings, onError } = this;
    const channel = this.channelOf(lease.sender.channel);
    try {
      await new DrainSender(lease, queue, channel, recorder, progress, timing, settings, onError).run(
        this.stopping.signal,
      );
      await queue.release(lease);
    } catch (error) {
      onError(error);
    } finally {
      this.drains.delete(lease);
    }
  }
}
