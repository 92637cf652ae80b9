import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { allowance } from "../../kernel/allowance.ts";
import type { FairQueue } from "../../kernel/fair-queue.ts";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";

interface LoadSheddingParts {
  readonly gate: Pick<FairQueue, "isOverloaded" | "refusalReason" | "settings">;
  readonly countRefusal: (reason: string, status: number) => void;
}

/**
 * Refusals that are sent without delay: `most` at once, and `perMs` more with each millisecond. Further refusals are
 * delayed, since clients that repeat their requests at once would fill the process with refusals. Not all refusals are
 * delayed, since a delayed one costs twice as much CPU: its objects leave the young generation of the heap. In a server
 * that only refuses, a delayed refusal was measured at 89 microseconds, an immediate one at 39.
 */
const atOnce = {
  /** 300 per second, like the default of the setting `requestsPerSecond`. */
  ofBusiness: { most: 300, perMs: 0.3 },
  ofAll: { most: 800, perMs: 8 },
};
/** The mean delay of refusals beyond `atOnce`. */
const pauseMs = 2_500;

/**
 * Requests that a business may begin beyond its equal share: `most` at once, and `perMs` more with each millisecond.
 * That is enough to open a page of the console. Without this limit, each of many busy businesses could keep up to
 * `overload.least` requests in the database's queue, and waiting requests cost throughput.
 */
const beyondShare = { most: 10, perMs: 0.002 };
/** Businesses whose allowances are remembered. */
const mostRemembered = 10_000;

/** Bytes. After a refusal, Node discards a shorter body and keeps the connection; a longer one ends the connection. */
const skippedBody = 64 * 1024;

/** Built once, since an overloaded process refuses thousands of requests per second. */
const answers = {
  own: answerOf(429, "Too many requests", ["RateLimit", '"database";r=0;t=2']),
  all: answerOf(503, "Service unavailable", []),
};

function answerOf(status: number, message: string, more: readonly string[]) {
  const body = JSON.stringify({ message });
  const headers = [
    ...["Content-Type", "application/json; charset=utf-8"],
    ...["Content-Length", String(body.length)],
    ...["Cache-Control", "no-store"],
    ...["Retry-After", "2"],
    ...more,
  ];
  return { status, body, headers, closing: [...headers, "Connection", "close"] };
}

/**
 * While the process is overloaded, the returned function refuses requests beyond a business's share and `beyondShare`.
 * It returns whether it refused the request. A refusal here is far cheaper than one by the application.
 */
export function loadShedder({ gate, countRefusal }: LoadSheddingParts) {
  const maySendAtOnce = allowance(atOnce.ofAll);
  const businesses = new LRUCache<number, ReturnType<typeof allowancesOfBusiness>>({ max: mostRemembered });
  const allowancesOf = (businessId: number) => {
    let allowances = businesses.get(businessId);
    if (!allowances) {
      allowances = allowancesOfBusiness();
      businesses.set(businessId, allowances);
    }
    return allowances;
  };
  const refusalReason = (businessId: number) => {
    const beyond = gate.refusalReason(businessId, 0);
    if (beyond !== "all") return beyond;
    return gate.refusalReason(businessId) ?? (allowancesOf(businessId).mayExceedShare() ? undefined : beyond);
  };
  return ({ headers }: IncomingMessage, res: ServerResponse, businessId: number | undefined): boolean => {
    // Pages can read only answers with CORS headers. Only the application adds these headers, so it must answer pages.
    if (businessId === undefined || !gate.isOverloaded || headers.origin !== undefined) return false;
    const against = refusalReason(businessId);
    if (against === undefined) return false;
    const answer = answers[against];
    const isLong = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > skippedBody;
    countRefusal(gate.settings.name, answer.status);
    const send = () => res.writeHead(answer.status, isLong ? answer.closing : answer.headers).end(answer.body);
    if (allowancesOf(businessId).maySendAtOnce() && maySendAtOnce()) send();
    else setTimeout(send, refusalDelayMs(pauseMs));
    return true;
  };
}

const allowancesOfBusiness = () => ({
  mayExceedShare: allowance(beyondShare),
  maySendAtOnce: allowance(atOnce.ofBusiness),
});
