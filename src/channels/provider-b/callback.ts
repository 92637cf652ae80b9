import { isPublicLiteral } from "../../infra/http-client/public-only-agent.ts";
import type { SendingSettings } from "../channel.ts";

export const webhookPath = "/webhooks/provider-b";

/**
 * The URL to which the provider sends a message's delivery statuses. Null if the provider cannot reach this service:
 * the provider refuses messages with an unreachable URL.
 */
export function callbackOf(
  { address: { root }, baseUrl }: Pick<SendingSettings, "address" | "baseUrl">,
  reference: string,
): string | null {
  const isReachable = isOutside(root) || !isOutside(baseUrl);
  return isReachable ? `${root}${webhookPath}?ref=${encodeURIComponent(reference)}` : null;
}

/** False for private addresses, and for names without a dot, such as `localhost`. */
function isOutside(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /[.:]/.test(hostname) && isPublicLiteral(hostname);
}
