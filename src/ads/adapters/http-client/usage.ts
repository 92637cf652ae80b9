import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import { AdPlatformBusy } from "../../domain/failures.ts";

/** Percent of what the platform allows from which on it is left alone: what is beyond is refused and counts, too. */
const nearTheLimit = 97;
/** Seconds of rest where the platform says that it is too much, but not for how long. */
const restSeconds = 60;
/** Seconds after a first refusal without a word about how long; each further one doubles them. */
const firstRestSeconds = 2;
const longestRestSeconds = 3_600;
const mostRemembered = 10_000;

interface Rest {
  readonly until: number;
  /** Refusals in a row. */
  readonly refusals: number;
}

/** When each account may be asked again. */
export class UsageLimits {
  private readonly rests = new LRUCache<string, Rest>({ max: mostRemembered });

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Throws `AdPlatformBusy` while the account rests. */
  check(account: string): void {
    const rest = this.rests.get(account);
    const leftMs = rest ? rest.until - this.now() : 0;
    if (leftMs > 0) throw new AdPlatformBusy(Math.ceil(leftMs / 1_000));
  }

  /** Hears of an answer that came through, and of how much of the limit is used up. */
  answered(account: string, headers: IncomingHttpHeaders): void {
    const seconds = restAfter(headers);
    const rest = this.rests.get(account);
    if (seconds > 0) this.rest(account, seconds, rest?.refusals ?? 0);
    // One that was asked before the last refusal says nothing about what is allowed after it.
    else if (rest && rest.until <= this.now()) this.rests.delete(account);
  }

  /** Hears of a refusal; the failure to answer with. */
  refused(account: string, headers: IncomingHttpHeaders): AdPlatformBusy {
    const refusals = (this.rests.get(account)?.refusals ?? 0) + 1;
    const doubled = firstRestSeconds * 2 ** Math.min(refusals - 1, 12);
    const seconds = Math.min(restAfter(headers) || retryAfter(headers) || doubled, longestRestSeconds);
    this.rest(account, seconds, refusals);
    return new AdPlatformBusy(seconds);
  }

  private rest(account: string, seconds: number, refusals: number): void {
    this.rests.set(account, { until: this.now() + Math.min(seconds, longestRestSeconds) * 1_000, refusals });
  }
}

/** Seconds for which the headers of an answer ask for a rest; 0 where they do not. */
export function restAfter(headers: IncomingHttpHeaders): number {
  return Math.max(byUseCase(headers), byAccount(headers), byInsights(headers));
}

function byUseCase(headers: IncomingHttpHeaders): number {
  const uses = Object.values(jsonIn(headers["x-business-use-case-usage"])).flat();
  return Math.max(
    0,
    ...uses.map((use) => {
      const { call_count, total_cputime, total_time, estimated_time_to_regain_access: minutes } = fieldsOf(use);
      if (isPositive(minutes)) return minutes * 60;
      return [call_count, total_cputime, total_time].some(isNear) ? restSeconds : 0;
    }),
  );
}

function byAccount(headers: IncomingHttpHeaders): number {
  const { acc_id_util_pct, reset_time_duration } = jsonIn(headers["x-ad-account-usage"]);
  if (!isNear(acc_id_util_pct)) return 0;
  return isPositive(reset_time_duration) ? reset_time_duration : restSeconds;
}

function byInsights(headers: IncomingHttpHeaders): number {
  const { app_id_util_pct, acc_id_util_pct } = jsonIn(headers["x-fb-ads-insights-throttle"]);
  return isNear(app_id_util_pct) || isNear(acc_id_util_pct) ? restSeconds : 0;
}

function retryAfter(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers["retry-after"]);
  return isPositive(seconds) ? Math.ceil(seconds) : 0;
}

const isPositive = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
const isNear = (value: unknown): boolean => typeof value === "number" && value >= nearTheLimit;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function jsonIn(header: string | string[] | undefined): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(String(header ?? "{}")));
  } catch {
    return {};
  }
}
