import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Busy } from "../../kernel/errors.ts";
import type { FairGate } from "../../kernel/fair-gate.ts";
import { refusalOf } from "./routing/dialect.ts";

export interface CrowdParts {
  readonly gate: Pick<FairGate, "isCrowded" | "check">;
  /** The business of a credential that was right here a moment ago; asks nobody. */
  readonly businessOf: (headers: IncomingHttpHeaders) => number | undefined;
  readonly countRefusal: (reason: string, status: number) => void;
}

/** Bytes of a body that are skipped, so that the connection can be used again. */
const skippedBody = 64 * 1024;

/**
 * Answers a request in place of the application where the process has more to do than it can, and this business has
 * something waiting already. In this way it costs a tenth of an answer: at twice the load that it can carry, a process
 * still does most of its work. Answers whether it did.
 */
export function turningAway({ gate, businessOf, countRefusal }: CrowdParts) {
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    if (!gate.isCrowded) return false;
    const businessId = businessOf(req.headers);
    if (businessId === undefined) return false;
    try {
      gate.check(businessId);
      return false;
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      const { status, headers, body, reason } = refusalOf(error);
      const text = JSON.stringify(body);
      const isLong =
        req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > skippedBody;
      countRefusal(reason, status);
      res.writeHead(status, {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": Buffer.byteLength(text),
        "Cache-Control": "no-store",
        ...headers,
        ...(isLong && { Connection: "close" }),
      });
      res.end(text);
      return true;
    }
  };
}
