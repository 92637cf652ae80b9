import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import proxyAddr from "proxy-addr";
import { plainAddress } from "./addresses.ts";

/** Reads address, scheme and host of a request behind proxies. */
export interface TrustedProxies {
  /** The nearest address that is not a trusted proxy's. A client cannot forge it. */
  addressOf(request: IncomingMessage): string;
  isHttps(request: IncomingMessage): boolean;
  /** The host, with its port if the request names one. */
  hostOf(request: IncomingMessage): string | undefined;
}

type IsTrusted = (address: string, hop: number) => boolean;

/**
 * @param setting - the number of proxies, or their addresses and ranges, comma-separated (also `loopback`, `linklocal`
 *   and `uniquelocal`). Empty and `false` mean none.
 * @throws Error that explains a wrong setting
 */
export function trustedProxies(setting: string): TrustedProxies {
  const isTrusted = trustOf(setting.trim());
  return {
    addressOf: (request) => (isTrusted ? plainAddress(proxyAddr(request, isTrusted) ?? "") : peerOf(request)),
    isHttps: (request) => {
      if ((request.socket as TLSSocket).encrypted) return true;
      if (!isTrusted?.(peerOf(request), 0)) return false;
      return /^\s*https\s*(,|$)/i.test(String(request.headers["x-forwarded-proto"] ?? ""));
    },
    hostOf: (request) => {
      const forwarded = request.headers["x-forwarded-host"];
      const isOne = typeof forwarded === "string" && forwarded.trim() !== "" && !forwarded.includes(",");
      return isOne && isTrusted?.(peerOf(request), 0) ? forwarded.trim() : request.headers.host;
    },
  };
}

function trustOf(setting: string): IsTrusted | undefined {
  if (setting === "" || setting === "false") return undefined;
  if (/^\d+$/.test(setting)) {
    const hops = Number(setting);
    return hops === 0 ? undefined : (_address, hop) => hop < hops;
  }
  try {
    return proxyAddr.compile(setting.split(",").map((part) => part.trim()));
  } catch {
    throw new Error(
      "must be the number of proxies in front (1, 2, ...) or their addresses and ranges, comma-separated (10.0.0.0/8, loopback, uniquelocal)",
    );
  }
}

const peerOf = ({ socket }: IncomingMessage): string => plainAddress(socket.remoteAddress ?? "");
