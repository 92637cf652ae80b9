import { Stream } from "node:stream";
import type { Context, Middleware } from "koa";
import type { FairQueue } from "../../../kernel/fair-queue.ts";

/** Characters. A longer answer can take its client a while to read. */
const longAnswer = 64 * 1024;

export const isLong = (body: unknown): boolean =>
  body instanceof Stream || (typeof body === "string" && body.length > longAnswer);

/** The client closed its connection before it had the whole answer. */
class ClientGone extends Error {}

/** Aborted when the client leaves. Created on first use. */
export function breakingOff(ctx: Context): AbortSignal {
  const { state, res } = ctx;
  if (state.breakingOff) return state.breakingOff;
  const gone = new AbortController();
  whenOver(ctx, () => {
    if (!res.writableFinished) gone.abort(new ClientGone("the client is gone"));
  });
  state.breakingOff = gone.signal;
  return gone.signal;
}

/**
 * Waits for the business's place in a lane. The place is freed when the answer is ready or, if the answer is long, when
 * it is sent or the client has left.
 */
export function throughLane(laneOf: (ctx: Context) => FairQueue | undefined): Middleware {
  return async (ctx, next) => {
    const lane = laneOf(ctx);
    if (!lane) return next();
    const { businessId } = ctx.state.caller;
    const leave = lane.tryAcquire(businessId) ?? (await lane.acquire(businessId, breakingOff(ctx)));
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
 * Calls back once, when the answer is sent or the connection is closed. The response's event is not enough: if requests
 * are pipelined, Node closes only the response whose turn it is.
 */
function whenOver({ req, res }: Context, callback: () => void): void {
  if (res.closed || req.socket.destroyed) {
    callback();
    return;
  }
  let isOver = false;
  const over = () => {
    // One event can cause the other. Then this runs twice, since `off` comes too late.
    if (isOver) return;
    isOver = true;
    res.off("close", over);
    req.socket.off("close", over);
    callback();
  };
  res.once("close", over);
  req.socket.once("close", over);
}
