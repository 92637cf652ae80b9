import { type CampaignState, countsOf, type RecipientCounts } from "../../domain/campaign.ts";

/** The payload that `campaign-queue.ts` logs. */
interface Progress {
  readonly campaignId: number;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason: string | null;
  readonly total: number;
  readonly counts: Partial<RecipientCounts>;
}

/** Spells the events of campaigns for clients. */
export const campaignEvents = {
  "campaign:progress": ({ campaignId, name, state, pauseReason, total, counts }: Progress) => ({
    campaign_id: campaignId,
    nombre: name,
    state,
    pause_reason: pauseReason,
    total,
    counts: countsOf(counts),
  }),
};
