import type { CampaignProgress } from "./campaign-progress.ts";
import type { CampaignQueue } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

/** Repairs and announces campaigns after workers died, or actions of workers and operators overlapped. */
export class SettleCampaigns {
  constructor(
    private readonly recorder: Pick<RecordCampaign, "recordStragglers">,
    private readonly queue: Pick<CampaignQueue, "tidy">,
    private readonly progress: CampaignProgress,
  ) {}

  async execute(signal?: AbortSignal): Promise<void> {
    await this.recorder.recordStragglers(signal);
    for (const [businessId, campaignIds] of await this.queue.tidy()) this.progress.touch(businessId, campaignIds);
  }
}
