import { type CampaignState, countsOf, type RecipientCounts } from "../../domain/campaign.ts";

/** The shape that the queue of campaigns logs; see `campaign-queue.ts`. */
interface Progress {
  readonly campaignId: number;
  readonly name: string;
  readonly state: CampaignState;
  readonly pauseReason: string | null;
  readonly total: number;
  readonly counts: Partial<RecipientCounts>;
}

/** The wire's spelling of the events of campaigns. */
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
