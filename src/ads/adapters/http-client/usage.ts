import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import { type Fields, fields, parse } from "../../../infra/http-client/json.ts";
import { AdPlatformBusy } from "../../domain/failures.ts";

/** From this percentage of a limit on, the account rests, because refused requests count against the limit too. */
const nearTheLimit = 97;
/** Seconds of rest near a limit if the platform does not tell how long to wait. */
const restSeconds = 60;
/** Seconds of rest after a first refusal that does not tell a time. Each further refusal doubles the rest. */
const firstRestSeconds = 2;
const longestRestSeconds = 3_600;
const mostRemembered = 10_000;

interface Rest {
  readonly until: number;
  /** Refusals in a row. */
  readonly refusals: number;
}

/** Keeps, for each account, the time until which no requests are sent for it. */
export class UsageLimits {
  private readonly rests = new LRUCache<string, Rest>({ max: mostRemembered });

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Throws `AdPlatformBusy` while the account rests. */
  check(account: string): void {
    const rest = this.rests.get(account);
    const leftMs = rest ? rest.until - this.now() : 0;
    if (leftMs > 0) throw new AdPlatformBusy(Math.ceil(leftMs / 1_000));
  }

  /** Called after an answer, with the headers that tell how much of the limit is used. */
  answered(account: string, headers: IncomingHttpHeaders): void {
    const seconds = restAfter(headers);
    const rest = this.rests.get(account);
    if (seconds > 0) this.rest(account, seconds, rest?.refusals ?? 0);
    // While the account rests, an answer belongs to a request from before the rest and cannot end it.
    else if (rest && rest.until <= this.now()) this.rests.delete(account);
  }

  /** Called after a refusal. Returns the failure to answer with. */
  refused(account: string, headers: IncomingHttpHeaders): AdPlatformBusy {
    const refusals = (this.rests.get(account)?.refusals ?? 0) + 1;
    const doubled = firstRestSeconds * 2 ** Math.min(refusals - 1, 12);
    const seconds = Math.min(
      saidRest(headers) || retryAfter(headers) || restAfter(headers) || doubled,
      longestRestSeconds,
    );
    this.rest(account, seconds, refusals);
    return new AdPlatformBusy(seconds);
  }

  private rest(account: string, seconds: number, refusals: number): void {
    this.rests.set(account, { until: this.now() + Math.min(seconds, longestRestSeconds) * 1_000, refusals });
  }
}

/** Seconds of rest that the headers ask for: the platform's own time, else `restSeconds` near a limit, else 0. */
function restAfter(headers: IncomingHttpHeaders): number {
  const account = accountUse(headers);
  const throttle = jsonIn(headers["x-fb-ads-insights-throttle"]);
  const used = useCases(headers).flatMap((use) => [use.call_count, use.total_cputime, use.total_time]);
  const isFull = [...used, account.acc_id_util_pct, throttle.app_id_util_pct, throttle.acc_id_util_pct].some(isNear);
  return isFull ? saidRest(headers) || restSeconds : regainSeconds(headers);
}

/**
 * Seconds of rest that the headers name, or 0. Call it only near the limit or after a refusal: the account's header
 * names a time even if little of the limit is used.
 */
const saidRest = (headers: IncomingHttpHeaders): number =>
  Math.max(regainSeconds(headers), positive(accountUse(headers).reset_time_duration));

const regainSeconds = (headers: IncomingHttpHeaders): number =>
  Math.max(0, ...useCases(headers).map((use) => positive(use.estimated_time_to_regain_access) * 60));

const useCases = (headers: IncomingHttpHeaders) =>
  Object.values(jsonIn(headers["x-business-use-case-usage"])).flat().map(fields);

const accountUse = (headers: IncomingHttpHeaders) => jsonIn(headers["x-ad-account-usage"]);

const retryAfter = (headers: IncomingHttpHeaders): number => Math.ceil(positive(Number(headers["retry-after"])));

const positive = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
const isNear = (value: unknown): boolean => typeof value === "number" && value >= nearTheLimit;

const jsonIn = (header: string | string[] | undefined): Fields => parse(String(header));
