import { hash, randomBytes } from "node:crypto";
import type { Middleware } from "koa";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../addresses.ts";
import { Refusal } from "../routing/dialect.ts";

/** Over this many seconds the burst is used up once. */
const burstSeconds = 10;

export interface RateSettings {
  /** Requests in each second. */
  readonly perSecond: number;
  /** Requests beyond that in each 10 s. */
  readonly burst: number;
}

/** @param cost - how many requests one of them counts for */
export type LimitRate = (cost: number) => Middleware;

/**
 * Limits the requests of one business or, without a known caller, of one client address, in this process. Over it: 429
 * with Retry-After. Answers tell what is left, as draft-ietf-httpapi-ratelimit-headers has it.
 */
export function limitRate({ perSecond, burst }: RateSettings): LimitRate {
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: "", points: perSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: "", points: burst, duration: burstSeconds }),
  );
  const bucketOf = addressBuckets();
  const policy = `"requests";q=${perSecond};w=1, "burst";q=${burst};w=${burstSeconds}`;
  return (cost) => async (ctx, next) => {
    const { caller } = ctx.state;
    const consumed = limiter.consume(caller ? `business ${caller.businessId}` : bucketOf(ctx.ip), cost);
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

export interface FailureSettings {
  /** For metrics: few and fixed. */
  readonly name: string;
  /** Failures that one client address may make. */
  readonly points: number;
  /** Over how many seconds, from the first of them. */
  readonly perSeconds: number;
}

/**
 * Counts failed attempts of one kind by client address, in this process. Only what failed is ever refused for them: what
 * is right passes, however much was wrong from the same address.
 */
export interface FailureLimit {
  /** Counts a failure and throws it; where the address has failed too often, it throws 429 with Retry-After instead. */
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

/**
 * Sorts addresses into 65,536 buckets, so that memory stays bounded however many there are: a client shares its
 * bucket with a misbehaving one by a chance of 1 in 65,536. Nobody outside can tell who shares one.
 */
function addressBuckets(): (ip: string) => string {
  const seed = randomBytes(16).toString("hex");
  return (ip) => hash("sha1", `${seed} ${networkOf(ip)}`).slice(0, 4);
}
