import { integer, nullableText, objectWith, text } from "../../../../infra/http/routing/schema.ts";
import { campaignStates } from "../../../domain/campaign.ts";
import { campaignCounts } from "./campaign.routes.ts";

/** The payloads of the events of campaigns, as `realtime/campaign-events.ts` spells them. */
export const campaignEventSchemas = {
  "campaign:progress": {
    summary: "Where a campaign stands, a few times a second at most while it is sent",
    payload: objectWith({
      campaign_id: integer,
      nombre: text,
      state: { type: "string", enum: campaignStates },
      pause_reason: nullableText,
      total: integer,
      counts: campaignCounts,
    }),
  },
} as const;
