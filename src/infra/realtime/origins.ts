import type { IncomingMessage } from "node:http";
import { isOriginOf } from "../../kernel/origins.ts";

interface OriginSettings {
  readonly corsOrigins: readonly string[];
  readonly hostOf?: (request: IncomingMessage) => string | undefined;
}

/**
 * Allows configured origins, pages of the same host, and requests without an Origin. The last are safe: a browser lets
 * a page of another host read an answer only if the request had an Origin.
 */
export function isFromAllowedOrigin(request: IncomingMessage, settings: OriginSettings): boolean {
  const { origin } = request.headers;
  return origin === undefined || settings.corsOrigins.includes(origin) || isFromOwnOrigin(request, settings);
}

/** Whether the request comes from a page that this host served; false for a request without an Origin. */
export function isFromOwnOrigin(request: IncomingMessage, { hostOf = ({ headers }) => headers.host }: OriginSettings) {
  const { origin } = request.headers;
  return origin !== undefined && isOriginOf(origin, hostOf(request) ?? "");
}
