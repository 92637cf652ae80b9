import type { Refusal } from "../../domain/platform.ts";
import type { Sender, StoppedTemplate } from "../sends/ports.ts";
import type { CampaignProgress } from "./campaign-progress.ts";
import type { CampaignQueue } from "./ports.ts";

/** Pauses the campaigns of a template that the platform has stopped, also if another message learned of it first. */
export class PauseTemplate {
  constructor(
    private readonly queue: Pick<CampaignQueue, "pauseTemplate">,
    private readonly progress: Pick<CampaignProgress, "touch">,
  ) {}

  /** @param refusal - of a message that the sender sent with the template */
  async execute(businessId: number, sender: Sender, template: StoppedTemplate, refusal: Refusal): Promise<void> {
    const { code, reason } = refusal;
    const paused = await this.queue.pauseTemplate(businessId, sender.id, template, `${code}: ${reason}`);
    this.progress.touch(businessId, paused);
  }
}
