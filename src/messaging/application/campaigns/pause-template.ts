import type { OnStoppedTemplate } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue } from "./ports.ts";

/** Pauses the campaigns of a template after a refusal outside of campaigns has shown that the platform stopped it. */
export const pausingTemplates =
  (queue: Pick<CampaignQueue, "pauseTemplate">, announcer: Pick<CampaignAnnouncer, "touch">): OnStoppedTemplate =>
  async (businessId, sender, template, { code, reason }) => {
    announcer.touch(businessId, await queue.pauseTemplate(businessId, sender.id, template, `${code}: ${reason}`));
  };
