import type { components } from "../../../client/src/index.ts";
import { oneOf, said, textParam } from "../shared/search-params.ts";

type CampaignState = components["schemas"]["Campaign"]["state"];
export const campaignStates = ["running", "paused", "completed", "cancelled"] as const satisfies CampaignState[];

/** The filters of the list, as they are in the URL. */
export interface CampaignSearch {
  readonly progress?: CampaignState;
  readonly q?: string;
}

export function campaignSearch({ progress, q }: Record<string, unknown>): CampaignSearch {
  return said<CampaignSearch>({ progress: oneOf(campaignStates, progress), q: textParam(q, 200) });
}
