import type { components } from "../../../client/src/index.ts";

export type CampaignState = components["schemas"]["Campaign"]["state"];
export const campaignStates = ["running", "paused", "completed", "cancelled"] as const satisfies CampaignState[];

/** What the list shows, as its address says it. */
export interface CampaignSearch {
  readonly progress?: CampaignState;
  readonly q?: string;
}

/** What an address says wrongly counts as not said. */
export function campaignSearch({ progress, q }: Record<string, unknown>): CampaignSearch {
  const known = campaignStates.find((each) => each === progress);
  // An address with digits only is read as a number.
  const text = typeof q === "string" || typeof q === "number" ? String(q).slice(0, 200) : "";
  return { ...(known && { progress: known }), ...(text !== "" && { q: text }) };
}
