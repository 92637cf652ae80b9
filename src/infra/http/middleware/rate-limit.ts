import { hash, randomBytes } from "node:crypto";
import type { Middleware } from "koa";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../addresses.ts";
import { Refusal } from "../routing/dialect.ts";

/** The period in which the burst may be used. */
const burstSeconds = 10;

interface RateSettings {
  readonly perSecond: number;
  /** Further requests in each 10 s. */
  readonly burst: number;
}

/**
 * @param cost - the number of requests that one request counts as. A cost above both limits is reduced to the higher
 *   limit, so that the request can still pass
 */
export type LimitRate = (cost: number) => Middleware;

/**
 * Limits requests per business, or per address for anonymous callers, in this process. Headers of the answer tell how
 * many requests are left, in the format of draft-ietf-httpapi-ratelimit-headers.
 */
export function limitRate({ perSecond, burst }: RateSettings): LimitRate {
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: "", points: perSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: "", points: burst, duration: burstSeconds }),
  );
  const bucketOf = addressBuckets();
  const policy = `"requests";q=${perSecond};w=1, "burst";q=${burst};w=${burstSeconds}`;
  const most = Math.max(perSecond, burst);
  return (cost) => async (ctx, next) => {
    const { caller } = ctx.state;
    const payer = caller ? `business ${caller.businessId}` : bucketOf(ctx.ip);
    const consumed = limiter.consume(payer, Math.min(cost, most));
    const over = await consumed.then(noteLeft, (reason: unknown) => {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      noteLeft(reason);
      return reason;
    });
    function noteLeft({ remainingPoints, msBeforeNext }: RateLimiterRes): void {
      ctx.res.setHeader("RateLimit-Policy", policy);
      ctx.res.setHeader("RateLimit", `"requests";r=${remainingPoints};t=${secondsOf(msBeforeNext)}`);
    }
    if (over) throw new Refusal("requests", true, secondsOf(over.msBeforeNext));
    return next();
  };
}

interface FailureSettings {
  /** A metric label: one of a few constants. */
  readonly name: string;
  readonly points: number;
  readonly perSeconds: number;
}

/** Limits failed attempts per address, in this process. Correct credentials always pass. */
export interface FailureLimit {
  /** Throws `failure`, or 429 after too many failures. */
  refuse(ip: string, failure: Error): Promise<never>;
}

export function limitFailures({ name, points, perSeconds }: FailureSettings): FailureLimit {
  const limiter = new RateLimiterMemory({ keyPrefix: "", points, duration: perSeconds });
  const bucketOf = addressBuckets();
  return {
    async refuse(ip, failure) {
      const over = await limiter.consume(bucketOf(ip)).catch((reason: RateLimiterRes) => reason);
      if (over.consumedPoints <= points) throw failure;
      throw new Refusal(name, true, secondsOf(over.msBeforeNext), {
        "RateLimit-Policy": `"${name}";q=${points};w=${perSeconds}`,
      });
    },
  };
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

/** Hashes addresses into 65,536 buckets to bound memory. The seed keeps others from finding out who shares a bucket. */
function addressBuckets(): (ip: string) => string {
  const seed = randomBytes(16).toString("hex");
  return (ip) => hash("sha1", `${seed} ${networkOf(ip)}`).slice(0, 4);
}
