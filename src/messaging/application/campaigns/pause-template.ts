import type { OnStoppedTemplate } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue } from "./ports.ts";

/** Pauses a template's campaigns when a refusal outside of campaigns shows that the platform stopped the template. */
export const pausingTemplates =
  (queue: Pick<CampaignQueue, "pauseTemplate">, announcer: Pick<CampaignAnnouncer, "touch">): OnStoppedTemplate =>
  async (businessId, sender, template, { code, reason }) => {
    announcer.touch(businessId, await queue.pauseTemplate(businessId, sender.id, template, `${code}: ${reason}`));
  };
