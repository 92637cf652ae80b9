import { type CampaignState, countsOf, type RecipientCounts } from "../../domain/campaign.ts";

/** The payload in the event log. */
interface LoggedCampaign {
  readonly campaignId: number;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason: string | null;
  readonly total: number;
  readonly counts: Partial<RecipientCounts>;
}

export const campaignEvents = {
  "campaign:progress": ({ campaignId, name, state, pauseReason, total, counts }: LoggedCampaign) => ({
    campaign_id: campaignId,
    nombre: name,
    state,
    pause_reason: pauseReason,
    total,
    counts: countsOf(counts),
  }),
};
