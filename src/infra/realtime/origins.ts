import type { IncomingMessage } from "node:http";
import { isOriginOf } from "../../kernel/origins.ts";

interface OriginSettings {
  readonly corsOrigins: readonly string[];
  readonly hostOf?: (request: IncomingMessage) => string | undefined;
}

/** Allows configured origins, pages of the same host, and clients without an Origin, which are not browsers. */
export function isFromAllowedOrigin(request: IncomingMessage, settings: OriginSettings): boolean {
  const { origin } = request.headers;
  return origin === undefined || settings.corsOrigins.includes(origin) || isFromOwnOrigin(request, settings);
}

/** Whether the page was served by this host. */
export function isFromOwnOrigin(request: IncomingMessage, { hostOf = ({ headers }) => headers.host }: OriginSettings) {
  const { origin } = request.headers;
  return origin !== undefined && isOriginOf(origin, hostOf(request) ?? "");
}
