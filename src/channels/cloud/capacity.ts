import { parse, textOf } from "../../infra/http-client/json.ts";
import type { Sender, SenderCapacities, SenderCapacity } from "../../messaging/public.ts";
import { type GraphSettings, graphRead } from "../shared/graph.ts";

const unknown: SenderCapacity = { quality: null, dailyLimit: null };

/** Newer versions of the platform have one limit for all numbers of a business, older ones a limit per number. */
const wanted = ["quality_rating", "whatsapp_business_manager_messaging_limit", "messaging_limit_tier"] as const;

export class CloudCapacities implements SenderCapacities {
  constructor(private readonly settings: GraphSettings) {}

  async of(sender: Sender): Promise<SenderCapacity> {
    const path = `${encodeURIComponent(sender.platformId)}?fields=${wanted.join(",")}`;
    const outcome = await graphRead(this.settings, path, sender);
    if (outcome.kind !== "answer" || outcome.status !== 200) return unknown;
    const number = parse(outcome.text);
    const quality = textOf(number.quality_rating);
    const tier = number.whatsapp_business_manager_messaging_limit ?? number.messaging_limit_tier;
    return { quality: quality === undefined || quality === "UNKNOWN" ? null : quality, dailyLimit: limitOf(tier) };
  }
}

/** Parses `TIER_250` or `TIER_10K`; null for `TIER_UNLIMITED` and unknown values. */
function limitOf(tier: unknown): number | null {
  const [, count, thousands] = /^TIER_(\d{1,6})(K?)$/.exec(textOf(tier) ?? "") ?? [];
  return count === undefined ? null : Number(count) * (thousands ? 1_000 : 1);
}
