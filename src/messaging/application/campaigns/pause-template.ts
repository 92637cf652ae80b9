import type { Refusal } from "../../domain/platform.ts";
import type { Sender, StoppedTemplate } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue } from "./ports.ts";

/** Pauses the campaigns of a template that the platform has stopped. A refusal outside of campaigns has shown that. */
export class PauseTemplate {
  constructor(
    private readonly queue: Pick<CampaignQueue, "pauseTemplate">,
    private readonly announcer: Pick<CampaignAnnouncer, "touch">,
  ) {}

  async execute(businessId: number, sender: Sender, template: StoppedTemplate, refusal: Refusal): Promise<void> {
    const { code, reason } = refusal;
    const paused = await this.queue.pauseTemplate(businessId, sender.id, template, `${code}: ${reason}`);
    this.announcer.touch(businessId, paused);
  }
}
