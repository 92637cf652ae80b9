import { integer, nullableText, objectWith, text } from "../../../../infra/http/routing/schema.ts";
import { campaignStates } from "../../../domain/campaign.ts";
import { campaignCounts } from "./campaign.routes.ts";

/** Payloads of `realtime/campaign-events.ts`. */
export const campaignEventSchemas = {
  "campaign:progress": {
    summary: "A campaign's counts, at most twice a second while it is sent",
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
