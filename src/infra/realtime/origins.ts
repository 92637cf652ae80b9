import type { IncomingMessage } from "node:http";

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
  if (origin === undefined || settings.corsOrigins.includes(origin)) return true;
  const { hostOf = ({ headers }) => headers.host } = settings;
  return isOriginOf(origin, hostOf(request) ?? "");
}

/** Both name the same host; of the usual port a header may say it or not. */
function isOriginOf(origin: string, host: string): boolean {
  try {
    const { protocol, host: named } = new URL(origin);
    return /^https?:$/.test(protocol) && host !== "" && named === new URL(`${protocol}//${host}`).host;
  } catch {
    return false;
  }
}
