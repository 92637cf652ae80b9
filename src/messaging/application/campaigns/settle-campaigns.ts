import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

/**
 * Corrects campaigns whose worker died, or that a worker and an operator changed at the same time. Then announces these
 * campaigns.
 */
export class SettleCampaigns {
  constructor(
    private readonly recorder: Pick<RecordCampaign, "recordStragglers">,
    private readonly queue: Pick<CampaignQueue, "tidy">,
    private readonly announcer: CampaignAnnouncer,
  ) {}

  async execute(signal?: AbortSignal): Promise<void> {
    await this.recorder.recordStragglers(signal);
    for (const [businessId, campaignIds] of await this.queue.tidy()) this.announcer.touch(businessId, campaignIds);
  }
}
