import { setTimeout as sleep } from "node:timers/promises";
import { type HttpClient, rootOf } from "../../../infra/http-client/http-client.ts";
import { type Fields, parse } from "../../../infra/http-client/json.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { type Semaphore, semaphore } from "../../../kernel/semaphore.ts";
import type { AdAccess, AdPlatform, CampaignPage, CampaignQuery } from "../../application/ports.ts";
import { type Ad, type AdAccount, type AdSet, type Days, isAccountId, type SpendDays } from "../../domain/ads.ts";
import { AdPlatformUnavailable, NotShown, TokenRefused, WrongCursor } from "../../domain/failures.ts";
import { accountOf, adOf, adSetOf, campaignOf, type List, listOf, type Paging, type Readable } from "./answers.ts";
import { type Refusal, refusalIn } from "./refusals.ts";
import { UsageLimits } from "./usage.ts";

interface MarketingApiSettings {
  readonly client: Pick<HttpClient, "request">;
  /** Scheme, host and an optional path prefix; empty if no platform is configured. */
  readonly baseUrl: string;
  /** Such as `v23.0`. */
  readonly version: string;
  readonly timeouts: {
    readonly connectMs: number;
    /** Milliseconds for one request. */
    readonly requestMs: number;
    /** Milliseconds for all requests of one question. */
    readonly totalMs: number;
  };
}

/** Items per page. If the platform finds a page too large, the number is halved, down to 1. */
const pageSize = 50;
const innerPageSize = 100;
/** The maximum number of requests for one question. */
const mostRequests = 200;
/** The maximum numbers of simultaneous requests of the process and of one account. Further requests wait. */
const requestsAtATime = { width: 32, widthPerKey: 8 };
/** The maximum number of lists of ads that one question reads at the same time. */
const listsAtATime = 4;
const attempts = 2;
const retryPauseMs = 200;

const insightFields = "{spend,account_currency}";
const facts = "id,name,status,effective_status,lifetime_budget,budget_remaining,start_time,stop_time";

const insightsOn = (days: SpendDays): string =>
  typeof days === "string"
    ? `insights.date_preset(${days})`
    : `insights.time_range(${JSON.stringify({ since: days.since, until: days.until })})`;

/** One call of a method of `AdPlatform`. It may take many requests. */
interface Question {
  readonly token: string;
  /** The key of the limits: the business's id and the ad account's id. */
  readonly account: string;
  readonly deadline: number;
  readonly lists: Semaphore;
  requests: number;
  /** Whether the platform has answered a request of this question with data. */
  isAnswered: boolean;
}

export class MarketingApi implements AdPlatform {
  private readonly gate: FairQueue;
  private readonly origin: string;
  private readonly root: string;

  constructor(
    private readonly settings: MarketingApiSettings,
    private readonly limits = new UsageLimits(),
  ) {
    this.gate = new FairQueue({
      name: "ad platform",
      ...requestsAtATime,
      queuePerKey: mostRequests,
      queue: mostRequests * 20,
      waitMs: settings.timeouts.totalMs,
    });
    this.origin = URL.canParse(settings.baseUrl) ? new URL(settings.baseUrl).origin : "";
    this.root = `${rootOf(settings.baseUrl)}/${settings.version}`;
  }

  async campaigns(access: AdAccess, query: CampaignQuery): Promise<CampaignPage> {
    const { accountId, onlyActive, after } = query;
    const question = this.question(access, accountId);
    const insights = `${insightsOn(query.spentOn)}${insightFields}`;
    const adFields = `id,name,source_ad_id,${insights}`;
    const url = this.url([accountId, "campaigns"], {
      fields: `${facts},${insights},ads{${adFields}}`,
      ...(onlyActive && { effective_status: '["ACTIVE"]' }),
      ...(after !== null && { after }),
    });
    const page = await this.page(question, url, pageSize);
    const { next } = page.paging;
    if (next !== null && page.paging.after === null) throw withoutCursor();
    if (next !== null && page.paging.after === after) throw repeatedPage();
    const campaigns = page.data.map(campaignOf).filter(({ isActive }) => isActive || !onlyActive);
    return {
      campaigns: await this.withAllAds(question, campaigns, adFields),
      next: next === null ? null : page.paging.after,
    };
  }

  async adSets(
    access: AdAccess,
    campaignId: string,
    spentOn: SpendDays,
    accountId: string | null,
  ): Promise<readonly AdSet[]> {
    // For an account's id, the platform would answer with the ad sets of all campaigns of the account.
    if (isAccountId(campaignId)) throw new NotShown("an account is not a campaign");
    const question = this.question(access, accountId ?? "");
    const insights = `${insightsOn(spentOn)}{account_currency,spend}`;
    const adFields = `id,name,source_ad_id,${insights},adcreatives{thumbnail_url,image_url}`;
    const campaign = `campaign{${facts},account_id,${insights}}`;
    const fields = `id,name,${insights},ads{${adFields}},${campaign}`;
    const found = await this.all(question, this.url([campaignId, "adsets"], { fields }), pageSize);
    // `campaignId` may be the id of another kind of object that has ad sets, such as a label.
    const own = found.map(adSetOf).filter(({ item }) => item.campaign.id === campaignId);
    return await this.withAllAds(question, own, adFields);
  }

  async accounts(access: AdAccess): Promise<readonly AdAccount[]> {
    const question = this.question(access, "me");
    const url = this.url(["me", "adaccounts"], { fields: "id,name,currency,account_status" });
    return uniqueById((await this.all(question, url, innerPageSize)).map(accountOf));
  }

  async ads(access: AdAccess, accountId: string, days: Days): Promise<readonly Ad[]> {
    const question = this.question(access, accountId);
    const insights = `${insightsOn(days)}${insightFields}`;
    const fields = `id,name,source_ad_id,${insights},adcreatives{thumbnail_url,image_url}`;
    const url = this.url([accountId, "ads"], { fields });
    return uniqueById((await this.all(question, url, innerPageSize)).map(adOf));
  }

  private question({ businessId, token }: AdAccess, accountId: string): Question {
    if (this.origin === "") throw new AdPlatformUnavailable("ADS_PLATFORM_URL is not set");
    return {
      token,
      account: `${businessId} ${accountId}`,
      deadline: performance.now() + this.settings.timeouts.totalMs,
      lists: semaphore(listsAtATime),
      requests: 0,
      isAnswered: false,
    };
  }

  private url(path: readonly string[], query: Readonly<Record<string, string>>): URL {
    const url = new URL([this.root, ...path.map(encodeURIComponent)].join("/"));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  /** Returns each item once, with all its ads: reads the ads that the first page of the item's list did not have. */
  private async withAllAds<Item extends { readonly id: string; readonly ads: readonly Ad[] }>(
    question: Question,
    items: readonly Readable<Item>[],
    fields: string,
  ): Promise<Item[]> {
    const whole = await Promise.all(
      items.map(async ({ item, ads }) => {
        const rest = await question.lists(() => this.restOf(question, item.id, ads, fields));
        return { ...item, ads: uniqueById([...item.ads, ...rest]) };
      }),
    );
    return uniqueById(whole);
  }

  private async restOf(question: Question, id: string, paging: Paging, fields: string): Promise<Ad[]> {
    const own = this.url([id, "ads"], { fields });
    const url = this.following(own, paging);
    return url === null ? [] : (await this.all(question, url, innerPageSize)).map(adOf);
  }

  /** Reads the items of the first page and of all following pages. */
  private async all(question: Question, first: URL, limit: number): Promise<unknown[]> {
    const items: unknown[] = [];
    const seen = new Set<string>();
    let size = limit;
    for (let url: URL | null = first; url !== null; ) {
      if (seen.has(url.href)) throw repeatedPage();
      seen.add(url.href);
      const page = await this.page(question, url, size);
      items.push(...page.data);
      size = page.size;
      url = this.following(url, page.paging);
    }
    return items;
  }

  /**
   * The address that the platform gave for the next page, without its token and page size. If that address has
   * another origin, which must not get the token, the result is the current page's address with the next cursor.
   */
  private following(current: URL, { next, after }: Paging): URL | null {
    if (next === null) return null;
    if (URL.canParse(next) && new URL(next).origin === this.origin) {
      const url = new URL(next);
      url.searchParams.delete("access_token");
      url.searchParams.delete("limit");
      return url;
    }
    if (after === null) throw withoutCursor();
    const url = new URL(current);
    url.searchParams.set("after", after);
    return url;
  }

  /** Reads one page. Asks for fewer items if the platform finds the page too large. */
  private async page(question: Question, url: URL, limit: number): Promise<List & { readonly size: number }> {
    for (let size = limit; ; size = Math.floor(size / 2)) {
      const asked = new URL(url);
      asked.searchParams.set("limit", String(size));
      const body = await this.read(question, asked.href, size === 1);
      if (body !== "too much") return { ...listOf(body, "answer"), size };
    }
  }

  /** A read changes nothing, so a read whose failure may be temporary is tried twice, if the deadline allows. */
  private async read(question: Question, url: string, isLeast: boolean): Promise<Fields | "too much"> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.ask(question, url);
      if ("body" in answer) {
        question.isAnswered = true;
        return answer.body;
      }
      if (answer.kind === "less-data" && !isLeast) return "too much";
      if (answer.kind === "token") throw new TokenRefused(`the ad platform did not answer: ${answer.reason}`);
      // Before the first answer, the id or cursor comes from the caller and may be wrong. Later ids and cursors come
      // from the platform, so the caller is not to blame.
      if (answer.kind === "not-shown" && !question.isAnswered) throw new NotShown(answer.reason);
      if (answer.kind === "wrong-cursor" && !question.isAnswered) throw new WrongCursor(answer.reason);
      const mayRetry = answer.kind === "passing" && attempt < attempts;
      if (!mayRetry || performance.now() + retryPauseMs >= question.deadline) {
        throw new AdPlatformUnavailable(`the ad platform did not answer: ${answer.reason}`);
      }
      await sleep(retryPauseMs);
    }
  }

  private ask(question: Question, url: string): Promise<{ readonly body: Fields } | Refusal> {
    const { account } = question;
    return this.gate.run(account, async () => {
      this.limits.check(account);
      const outcome = await this.request(question, url);
      if (outcome.kind !== "answer") return { kind: "passing", reason: outcome.reason } as const;
      const { status, headers } = outcome;
      const body = parse(outcome.text);
      const refusal = refusalIn(body, status);
      if (refusal?.kind === "rate" || (!refusal && status === 429)) throw this.limits.refused(account, headers);
      this.limits.answered(account, headers);
      if (refusal) return refusal;
      if (status === 200 && "data" in body) return { body };
      return { kind: status === 200 || status >= 500 ? "passing" : "final", reason: `HTTP ${status}` } as const;
    });
  }

  private request(question: Question, url: string) {
    const { connectMs, requestMs, totalMs } = this.settings.timeouts;
    const leftMs = Math.ceil(question.deadline - performance.now());
    if (leftMs <= 0) throw new AdPlatformUnavailable(`the ad platform took more than ${totalMs} ms`);
    question.requests += 1;
    if (question.requests > mostRequests) throw new AdPlatformUnavailable(`more than ${mostRequests} pages`);
    return this.settings.client.request({
      method: "GET",
      url,
      headers: { accept: "application/json", authorization: `Bearer ${question.token}` },
      timeouts: { connectMs, totalMs: Math.min(requestMs, leftMs) },
    });
  }
}

const withoutCursor = () => new AdPlatformUnavailable("the ad platform names a next page without a cursor");
const repeatedPage = () => new AdPlatformUnavailable("the ad platform repeats a page");

/** Two pages may have the same item if the list changes while its pages are read. */
function uniqueById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
