import type { Context, Middleware } from "koa";
import { Busy } from "../../../kernel/errors.ts";
import { networkOf } from "../addresses.ts";

const megabyte = 1024 * 1024;

/** Bytes up to which a body counts as small. Small ones have a budget that large ones cannot use up. */
const smallBody = 64 * 1024;
/** Bytes that are held of a body which is worked off while it arrives. */
const streamedWindow = 256 * 1024;

/** Callers without a credential have budgets of their own: they never take room from businesses. */
const budgets = {
  small: { total: 32 * megabyte, ofOne: 16 * megabyte },
  large: { total: 48 * megabyte, ofOne: 12 * megabyte },
  streamed: { total: 48 * megabyte, ofOne: 8 * megabyte },
  smallOfStrangers: { total: 32 * megabyte, ofOne: 4 * megabyte },
  largeOfStrangers: { total: 32 * megabyte, ofOne: 8 * megabyte },
};

/** @param limit - bytes of the largest body that the route takes */
export type BoundBytes = (limit: number, isStreamed: boolean) => Middleware;

/**
 * Bounds the bytes of bodies that are held at a time: in all, and for each business, or each address where the caller is not
 * known. A body counts as what it may become: what it declares or, where it declares nothing or is compressed, the
 * limit of its route.
 */
export function bytesUnderWay(): BoundBytes {
  const open = Object.fromEntries(
    Object.entries(budgets).map(([name, { total, ofOne }]) => [name, new Budget(total, ofOne)]),
  ) as Readonly<Record<keyof typeof budgets, Budget>>;
  const budgetOf = (bytes: number, isStreamed: boolean, isKnown: boolean): Budget => {
    if (isStreamed && isKnown) return open.streamed;
    if (bytes <= smallBody) return isKnown ? open.small : open.smallOfStrangers;
    return isKnown ? open.large : open.largeOfStrangers;
  };
  return (limit, isStreamed) => async (ctx, next) => {
    const bytes = isStreamed ? streamedWindow : bytesOf(ctx, limit);
    if (bytes === 0) return next();
    const businessId: number | undefined = ctx.state.caller?.businessId;
    const budget = budgetOf(bytes, isStreamed, businessId !== undefined);
    const key = businessId ?? networkOf(ctx.ip);
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
    // One body may be larger than the share, when it is the only one.
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
