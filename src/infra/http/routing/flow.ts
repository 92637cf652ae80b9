import { Stream } from "node:stream";
import type { Context, Middleware } from "koa";
import type { FairGate } from "../../../kernel/fair-gate.ts";

/** Milliseconds after which a client that takes nothing of a streamed answer is cut off. */
export const streamStallMs = 60_000;

/** The client closed its connection before it had the whole answer. */
export class ClientGone extends Error {}

/** Aborted when the client breaks off; made when it is first asked for. */
export function breakingOff(ctx: Context): AbortSignal {
  const { state, res } = ctx;
  if (state.breakingOff) return state.breakingOff;
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone("the client is gone"));
  if (res.closed) abort();
  else
    res.once("close", () => {
      if (!res.writableFinished) abort();
    });
  state.breakingOff = gone.signal;
  return gone.signal;
}

/** Has a request wait for its business's turn. Its place is free again once the whole answer is sent, or its client gone. */
export function throughLane(lane: FairGate): Middleware {
  return async (ctx, next) => {
    const leave = await lane.enter(ctx.state.caller.businessId, breakingOff(ctx));
    try {
      await next();
    } catch (error) {
      leave();
      throw error;
    }
    if (ctx.body instanceof Stream && !ctx.res.closed) ctx.res.once("close", leave);
    else leave();
  };
}
