import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { FairGate } from "../../kernel/fair-gate.ts";
import { refusalPauseMs } from "../../kernel/refusal-pause.ts";

export interface CrowdParts {
  readonly gate: Pick<FairGate, "isCrowded" | "objection" | "settings">;
  /** The business of a credential that this process remembers; it asks no store. */
  readonly businessOf: (headers: IncomingHttpHeaders) => number | undefined;
  readonly countRefusal: (reason: string, status: number) => void;
}

/**
 * Refusals in a millisecond that are sent at once. One that waits costs two to three times as much (measured: 30 and 70 to
 * 100 microseconds of CPU), since what it holds outlives the young generation of the heap.
 */
const atOncePerMs = 3;
const mostAtOnce = 100 * atOncePerMs;
/** Those beyond wait: clients that ask again at once would come back without end. */
const crowdPauseMs = 2_500;

/** Bytes of a body that are skipped, so that the connection can be used again. */
const skippedBody = 64 * 1024;

/** Made once: in a crowd there are thousands of them in a second. */
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
 * Answers a request in place of the application where the process has more to do than it can, and this business has its
 * share waiting already: far cheaper than the application could, so that a process at twice its load still does its work.
 * Tells whether it did.
 */
export function turningAway({ gate, businessOf, countRefusal }: CrowdParts) {
  const atOnce = new Allowance(mostAtOnce, atOncePerMs);
  return ({ headers }: IncomingMessage, res: ServerResponse): boolean => {
    // A browser shows an answer to a page only with headers that the application knows.
    if (!gate.isCrowded || headers.origin !== undefined) return false;
    const businessId = businessOf(headers);
    const against = businessId === undefined ? undefined : gate.objection(businessId);
    if (against === undefined) return false;
    const answer = answers[against];
    const isLong = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > skippedBody;
    countRefusal(gate.settings.name, answer.status);
    const send = () => res.writeHead(answer.status, isLong ? answer.closing : answer.headers).end(answer.body);
    if (atOnce.take()) send();
    else setTimeout(send, refusalPauseMs(crowdPauseMs));
    return true;
  };
}

class Allowance {
  private left: number;
  private since = performance.now();

  constructor(
    private readonly most: number,
    private readonly perMs: number,
  ) {
    this.left = most;
  }

  take(): boolean {
    const now = performance.now();
    this.left = Math.min(this.most, this.left + (now - this.since) * this.perMs);
    this.since = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
