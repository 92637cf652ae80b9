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
 * Refusals that are sent without delay: `most` at a time, and `perMs` more with each millisecond. A delayed refusal
 * costs twice as much CPU (89 instead of 39 microseconds, measured in a server that only refuses), since its objects
 * leave the young generation of the heap. But without delays, a client that repeats at once on every connection would
 * fill the process with refusals.
 */
const atOnce = {
  /** 300 per second, the default of the configured `requestsPerSecond`. */
  ofBusiness: { most: 300, perMs: 0.3 },
  ofAll: { most: 800, perMs: 8 },
};
/** The mean delay of further refusals. */
const pauseMs = 2_500;

/**
 * Requests that a business may begin beyond its equal share: `most` at a time, and `perMs` more with each millisecond.
 * They are enough to open a page of the console. Without this limit, each of many busy businesses could have as many
 * requests in the database's queue as the gate's setting `overload.least`, and waiting requests cost throughput.
 */
const beyondShare = { most: 10, perMs: 0.002 };
/** Businesses whose allowances are remembered. */
const mostRemembered = 10_000;

/** Bytes. After a refusal, Node discards a shorter body and keeps the connection; a longer one ends the connection. */
const skippedBody = 64 * 1024;

/** Built once, since an overload refuses thousands per second. */
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
 * Refuses requests before the application sees them while the process is overloaded and the business has its share
 * waiting. This is far cheaper than a refusal by the application. The returned function tells whether it refused.
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
    // Requests of browser pages go on to the application, since a page can read an answer only with its CORS headers.
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
