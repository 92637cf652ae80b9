import { isPublicLiteral } from "../../infra/http-client/public-only-agent.ts";
import type { SendingSettings } from "../channel.ts";

export const webhookPath = "/webhooks/provider-b";

/**
 * Where the provider tells what becomes of a message; null where it cannot reach this service: it refuses messages that
 * name such an address.
 */
export function callbackOf(
  { address: { root }, baseUrl }: Pick<SendingSettings, "address" | "baseUrl">,
  reference: string,
): string | null {
  const isReachable = isOutside(root) || !isOutside(baseUrl);
  return isReachable ? `${root}${webhookPath}?ref=${encodeURIComponent(reference)}` : null;
}

/** Names without a dot, like `localhost`, are known in one's own network only. */
function isOutside(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /[.:]/.test(hostname) && isPublicLiteral(hostname);
}
