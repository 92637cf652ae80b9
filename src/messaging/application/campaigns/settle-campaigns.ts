import type { CampaignProgress } from "./campaign-progress.ts";
import type { CampaignQueue } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

/** What dead workers left open, and what workers and operators who met left behind, is put right and told. */
export class SettleCampaigns {
  constructor(
    private readonly recorder: RecordCampaign,
    private readonly queue: Pick<CampaignQueue, "tidy">,
    private readonly progress: CampaignProgress,
  ) {}

  async execute(signal?: AbortSignal): Promise<void> {
    await this.recorder.recordStragglers(signal);
    for (const [businessId, campaignIds] of await this.queue.tidy()) this.progress.touch(businessId, campaignIds);
  }
}
