import type { Context, Middleware } from "koa";
import { Busy } from "../../../kernel/errors.ts";
import { networkOf } from "./rate-limit.ts";

const megabyte = 1024 * 1024;

/** Bytes up to which a body counts as small. Small ones have a budget that large ones cannot use up. */
const smallBody = 64 * 1024;
/** Bytes that are held of a body which is worked off while it arrives. */
const streamedWindow = 256 * 1024;

const budgets = {
  small: { total: 64 * megabyte, ofOne: 32 * megabyte },
  large: { total: 48 * megabyte, ofOne: 12 * megabyte },
};

/** @param limit - bytes of the largest body that the route takes */
export type BoundBytes = (limit: number, isStreamed: boolean) => Middleware;

/**
 * Bounds the bytes of bodies that are held at a time, of all requests and of each business; of each address where nobody is
 * known yet. A body counts as what it may become: what it declares or, where it declares nothing or is compressed, the
 * limit of its route.
 */
export function bytesUnderWay(): BoundBytes {
  const small = new Budget(budgets.small.total, budgets.small.ofOne);
  const large = new Budget(budgets.large.total, budgets.large.ofOne);
  return (limit, isStreamed) => async (ctx, next) => {
    const bytes = isStreamed ? streamedWindow : bytesOf(ctx, limit);
    if (bytes === 0) return next();
    const budget = bytes <= smallBody ? small : large;
    const key = ctx.state.caller?.businessId ?? networkOf(ctx.ip);
    budget.take(key, bytes);
    try {
      await next();
    } finally {
      budget.giveBack(key, bytes);
    }
  };
}

function bytesOf({ req: { headers } }: Context, limit: number): number {
  if (headers["transfer-encoding"] !== undefined || headers["content-encoding"] !== undefined) return limit;
  return Math.min(Number(headers["content-length"] ?? 0), limit);
}

class Budget {
  private taken = 0;
  private readonly byKey = new Map<string | number, number>();

  constructor(
    private readonly total: number,
    private readonly ofOne: number,
  ) {}

  take(key: string | number, bytes: number): void {
    const own = this.byKey.get(key) ?? 0;
    // Alone, a key may have one body that is larger than its share.
    if (own > 0 && own + bytes > this.ofOne) throw new Busy("bytes", true, 1);
    if (this.taken > 0 && this.taken + bytes > this.total) throw new Busy("bytes", own * 2 > this.ofOne, 1);
    this.taken += bytes;
    this.byKey.set(key, own + bytes);
  }

  giveBack(key: string | number, bytes: number): void {
    const left = (this.byKey.get(key) ?? 0) - bytes;
    this.taken -= bytes;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
  }
}
