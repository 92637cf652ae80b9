import type { IncomingMessage } from "node:http";
import { isOriginOf } from "../../kernel/origins.ts";

export interface OriginSettings {
  readonly corsOrigins: readonly string[];
  readonly hostOf?: (request: IncomingMessage) => string | undefined;
}

/**
 * Whether pages of this origin may connect: those that are listed, and those that this service answered itself, or what
 * stands at the same host. Programs send no origin.
 */
export function isFromAllowedOrigin(request: IncomingMessage, settings: OriginSettings): boolean {
  const { origin } = request.headers;
  return origin === undefined || settings.corsOrigins.includes(origin) || isFromOwnOrigin(request, settings);
}

/** Whether it is a page that this service answered itself. */
export function isFromOwnOrigin(request: IncomingMessage, { hostOf = ({ headers }) => headers.host }: OriginSettings) {
  const { origin } = request.headers;
  return origin !== undefined && isOriginOf(origin, hostOf(request) ?? "");
}
