import type { OnStoppedTemplate } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue } from "./ports.ts";

/** Pauses the campaigns of a template that the platform has stopped. A refusal outside of campaigns showed this. */
export const pausingTemplates =
  (queue: Pick<CampaignQueue, "pauseTemplate">, announcer: Pick<CampaignAnnouncer, "touch">): OnStoppedTemplate =>
  async (businessId, sender, template, { code, reason }) => {
    announcer.touch(businessId, await queue.pauseTemplate(businessId, sender.id, template, `${code}: ${reason}`));
  };
