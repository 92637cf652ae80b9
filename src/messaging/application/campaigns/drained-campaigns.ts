import { textFiller } from "../../domain/template.ts";
import type { CampaignProgress } from "./campaign-progress.ts";
import type { CampaignQueue, ClaimedRecipient, FrozenCampaign, Timing } from "./ports.ts";
import type { Persist } from "./recording.ts";

export interface DrainedCampaign extends FrozenCampaign {
  readonly fill: (parameters: readonly string[]) => string;
}

/** The campaigns of a number that is drained: what they send, and which of them this drain found to be in vain. */
export class DrainedCampaigns {
  private readonly learned = new Map<number, DrainedCampaign>();
  /** When campaigns that cannot succeed were paused; infinite until the pause is committed. */
  private readonly paused = new Map<number, number>();
  private allPaused: Promise<void> = Promise.resolve();

  constructor(
    private readonly businessId: number,
    private readonly queue: Pick<CampaignQueue, "frozen" | "pause">,
    private readonly progress: CampaignProgress,
    private readonly timing: Timing,
    private readonly persist: Persist,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** By id. */
  get known(): ReadonlyMap<number, DrainedCampaign> {
    return this.learned;
  }

  /** A campaign that cannot be learned of just now is missing, and its recipients are to be given back. */
  async learnOf(recipients: readonly ClaimedRecipient[]): Promise<void> {
    const ids = new Set(recipients.map(({ campaignId }) => campaignId));
    const unknown = [...ids].filter((id) => !this.learned.has(id));
    if (unknown.length === 0) return;
    try {
      const found = await this.queue.frozen(this.businessId, unknown);
      for (const [id, campaign] of found) {
        const { body, parameterNames } = campaign.template;
        this.learned.set(id, { ...campaign, fill: textFiller(body, parameterNames) });
      }
    } catch (error) {
      this.onError(error);
    }
  }

  /** Whatever was claimed before the pause is to be given back; what is claimed after it was resumed by somebody. */
  pause(id: number, reason: string): void {
    if (this.paused.get(id) === Number.POSITIVE_INFINITY) return;
    this.paused.set(id, Number.POSITIVE_INFINITY);
    const pausing = this.persist(() => this.queue.pause(this.businessId, id, reason)).then(() => {
      this.paused.set(id, this.timing.now());
      this.progress.touch(this.businessId, [id]);
    });
    this.allPaused = Promise.all([this.allPaused, pausing]).then(() => {});
  }

  /** Resolves when every pause until now is committed. */
  get pausesCommitted(): Promise<void> {
    return this.allPaused;
  }

  /** Whether recipients of the campaign that were claimed then may still be sent. */
  mayGo(id: number, claimedAt: number): boolean {
    return claimedAt > (this.paused.get(id) ?? Number.NEGATIVE_INFINITY);
  }
}
