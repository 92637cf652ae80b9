import { isPublicLiteral } from "../../infra/http-client/public-only-agent.ts";
import type { SendingSettings } from "../channel.ts";

export const webhookPath = "/webhooks/provider-b";

/**
 * The URL for the provider's delivery statuses; null if the provider cannot reach this service, because the provider
 * refuses messages with an unreachable URL.
 */
export function callbackOf(
  { address: { root }, baseUrl }: Pick<SendingSettings, "address" | "baseUrl">,
  reference: string,
): string | null {
  const isReachable = isOutside(root) || !isOutside(baseUrl);
  return isReachable ? `${root}${webhookPath}?ref=${encodeURIComponent(reference)}` : null;
}

/** Host names without a dot, such as `localhost`, exist only in a local network. */
function isOutside(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /[.:]/.test(hostname) && isPublicLiteral(hostname);
}
