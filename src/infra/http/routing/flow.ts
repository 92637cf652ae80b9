import { Stream } from "node:stream";
import type { Context, Middleware } from "koa";
import type { FairGate } from "../../../kernel/fair-gate.ts";

/** Characters from which on an answer counts as long: its client may take its time. */
const longAnswer = 64 * 1024;

export const isLong = (body: unknown): boolean =>
  body instanceof Stream || (typeof body === "string" && body.length > longAnswer);

/** The client closed its connection before it had the whole answer. */
export class ClientGone extends Error {}

/** Aborted when the client breaks off; made when it is first asked for. */
export function breakingOff(ctx: Context): AbortSignal {
  const { state, res } = ctx;
  if (state.breakingOff) return state.breakingOff;
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone("the client is gone"));
  whenOver(ctx, () => {
    if (!res.writableFinished) abort();
  });
  state.breakingOff = gone.signal;
  return gone.signal;
}

/** Has a request wait for its business's turn. Its place is free again once the whole answer is sent, or its client gone. */
export function throughLane(laneOf: (ctx: Context) => FairGate | undefined): Middleware {
  return async (ctx, next) => {
    const lane = laneOf(ctx);
    if (!lane) return next();
    const { businessId } = ctx.state.caller;
    const leave = lane.enterNow(businessId) ?? (await lane.enter(businessId, breakingOff(ctx)));
    try {
      await next();
    } catch (error) {
      leave();
      throw error;
    }
    if (isLong(ctx.body)) whenOver(ctx, leave);
    else leave();
  };
}

/**
 * Calls back once, when the answer is sent or its connection is gone. Of several requests on one connection Node closes
 * only the answer whose turn it is.
 */
function whenOver({ req, res }: Context, callback: () => void): void {
  if (res.closed || req.socket.destroyed) {
    callback();
    return;
  }
  let isOver = false;
  const over = () => {
    // Where one of the two brings the other about, taking away its listener comes too late.
    if (isOver) return;
    isOver = true;
    res.off("close", over);
    req.socket.off("close", over);
    callback();
  };
  res.once("close", over);
  req.socket.once("close", over);
}
