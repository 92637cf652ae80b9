import type { Context, Middleware } from "koa";
import { Busy } from "../../../kernel/errors.ts";
import { networkOf } from "../addresses.ts";

const megabyte = 1024 * 1024;

/** The most bytes of a small body. Large bodies cannot use up the budget of small ones. */
const smallBody = 64 * 1024;
/** Bytes that a streamed body has in memory at a time, since it is processed while it arrives. */
const streamedWindow = 256 * 1024;

/** Anonymous callers and proven webhooks have separate budgets, so that they take no room from businesses. */
const budgets = {
  small: { total: 32 * megabyte, ofOne: 16 * megabyte },
  large: { total: 48 * megabyte, ofOne: 12 * megabyte },
  streamed: { total: 48 * megabyte, ofOne: 8 * megabyte },
  smallOfStrangers: { total: 32 * megabyte, ofOne: 4 * megabyte },
  largeOfStrangers: { total: 32 * megabyte, ofOne: 8 * megabyte },
  // For requests whose headers prove their origin. Raise with care: a large body needs several times its size.
  smallOfProven: { total: 32 * megabyte, ofOne: 4 * megabyte },
  largeOfProven: { total: 64 * megabyte, ofOne: 24 * megabyte },
};

/** @param limit - the largest body that the route takes, in bytes */
export type BoundBytes = (limit: number, isStreamed: boolean) => Middleware;

/**
 * Limits the bytes of bodies in memory, in total and per business, proven sender or address. A streamed body counts as
 * `streamedWindow` bytes. A compressed or chunked body counts as the route's limit, and any other body as its
 * Content-Length.
 */
export function bytesUnderWay(): BoundBytes {
  const open = Object.fromEntries(
    Object.entries(budgets).map(([name, { total, ofOne }]) => [name, new Budget(total, ofOne)]),
  ) as Readonly<Record<keyof typeof budgets, Budget>>;
  const budgetOf = (bytes: number, isStreamed: boolean, who: "" | "OfStrangers" | "OfProven"): Budget => {
    if (isStreamed && who === "") return open.streamed;
    return open[`${bytes <= smallBody ? "small" : "large"}${who}`];
  };
  return (limit, isStreamed) => async (ctx, next) => {
    const bytes = isStreamed ? streamedWindow : bytesOf(ctx, limit);
    if (bytes === 0) return next();
    const businessId: number | undefined = ctx.state.caller?.businessId;
    const proven: string | undefined = ctx.state.bytesCountFor;
    const known = proven === undefined ? "OfStrangers" : "OfProven";
    const budget = budgetOf(bytes, isStreamed, businessId === undefined ? known : "");
    const key = businessId ?? proven ?? networkOf(ctx.ip);
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
    // A body may exceed `ofOne` if its key has no other body, and `total` if no key has another body.
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
