import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import proxyAddr from "proxy-addr";
import { plainAddress } from "./addresses.ts";

/** Whom a request comes from, and how, where proxies stand in front. */
export interface TrustedProxies {
  /** The address nearest to us that is none of a trusted proxy; what a client wrote before it changes nothing. */
  addressOf(request: IncomingMessage): string;
  /** Of the connection itself, or as a trusted proxy says. */
  isHttps(request: IncomingMessage): boolean;
  /** The host that was called, with its port where that was named; a trusted proxy may say which in one word. */
  hostOf(request: IncomingMessage): string | undefined;
}

type IsTrusted = (address: string, hop: number) => boolean;

/**
 * @param setting - how many proxies stand in front, or their addresses and ranges, comma-separated (`loopback`,
 *   `linklocal` and `uniquelocal` name the usual ones); empty or `false`: none
 * @throws Error that says what else to set
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
