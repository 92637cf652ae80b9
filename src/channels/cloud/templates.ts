import { setTimeout as sleep } from "node:timers/promises";
import type { HttpOutcome } from "../../infra/http-client/http-client.ts";
import { type Fields, fields, parse } from "../../infra/http-client/json.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import {
  type MessagingPlatform,
  type PlatformTemplate,
  PlatformUnavailable,
  type ReviewedTemplate,
  type SampleFiles,
  type Sender,
  type SubmitOutcome,
  type TemplateApproval,
  templateStateOf,
} from "../../messaging/public.ts";
import { cursorOf, type GraphSettings, graphError, graphPost, graphRead } from "../shared/graph.ts";
import {
  type PlatformError,
  platformRates,
  platformTrouble,
  refusalClass,
  safeReason,
  waitIn,
} from "../shared/refusals.ts";
import { posted } from "../shared/sending.ts";
import { withHandles } from "./samples.ts";
import { cloudAnswers } from "./send.ts";

export interface CloudTemplatesSettings extends Omit<GraphSettings, "timeouts"> {
  readonly samples: SampleFiles;
  readonly timeouts: {
    /** Milliseconds until a connection is ready. */
    readonly connectMs: number;
    /** Milliseconds for one attempt to read a page of templates. A second attempt should fit into `listMs`. */
    readonly pageMs: number;
    /** Milliseconds for the whole list of templates, or for one request of a submission. */
    readonly listMs: number;
    /** Milliseconds for the upload of an example file. */
    readonly uploadMs: number;
  };
}

/** Few uploads run at a time, because each holds a file of up to 16 MB in memory. */
const uploadsAtOnce = {
  name: "examples of templates",
  width: 4,
  widthPerKey: 2,
  queuePerKey: 8,
  queue: 64,
  waitMs: 30_000,
} as const;

const pageSize = 250;
/** Pages of whole templates are smaller, because a whole template is much larger than its name and status. */
const wholePageSize = 100;
const mostPages = 100;
const retryPauseMs = 200;

interface Page extends Fields {
  readonly data: readonly unknown[];
}

export class CloudTemplates implements MessagingPlatform, TemplateApproval {
  private readonly gate = new FairQueue(uploadsAtOnce);

  constructor(private readonly settings: CloudTemplatesSettings) {}

  async listTemplates(sender: Sender, filter?: { readonly name?: string }): Promise<PlatformTemplate[]> {
    const query = { fields: "name,language,status", limit: `${pageSize}`, ...filter };
    const templates = (await this.pages(sender, query)).flatMap(templatesOf);
    // The platform's filter may also match parts of names.
    return filter?.name === undefined ? templates : templates.filter(({ name }) => name === filter.name);
  }

  async review(sender: Sender): Promise<ReviewedTemplate[]> {
    const query = { fields: "id,name,language,status,category,components,rejected_reason", limit: `${wholePageSize}` };
    return (await this.pages(sender, query)).flatMap(reviewedOf);
  }

  async submit(
    sender: Sender,
    { name, structure, platformId }: Parameters<TemplateApproval["submit"]>[1],
  ): Promise<SubmitOutcome> {
    const { connectMs, listMs, uploadMs } = this.settings.timeouts;
    const settings = { ...this.settings, timeouts: { connectMs, totalMs: listMs, uploadMs } };
    const { language, category, components: written } = fields(structure);
    const ready = await this.gate.run(sender.id, () => withHandles(settings, sender, written));
    if ("kind" in ready) return ready;
    const { components } = ready;
    const inner = { category, components, ...(hasNamedPlaceholders(components) && { parameter_format: "NAMED" }) };
    const content = platformId === null ? { name, language, ...inner } : inner;
    const place =
      platformId === null
        ? `${encodeURIComponent(sender.accountId)}/message_templates`
        : encodeURIComponent(platformId);
    const outcome = await posted(settings, graphPost(settings.version, place, sender, content));
    if (outcome.kind !== "answer") return { kind: outcome.kind };
    const body = parse(outcome.text);
    const error = graphError(body);
    if (error) return notTaken(error, outcome.status, sender.accessToken);
    const { id = platformId, status = "PENDING", success } = body;
    const isTaken = outcome.status === 200 && (typeof body.id === "string" || success === true);
    if (!isTaken || typeof status !== "string") return { kind: "unknown" };
    return { kind: "accepted", platformId: typeof id === "string" ? id : platformId, status };
  }

  private async pages(sender: Sender, query: Readonly<Record<string, string>>): Promise<Page[]> {
    const asked = new URLSearchParams(query);
    const deadline = performance.now() + this.settings.timeouts.listMs;
    const pages: Page[] = [];
    const seen = new Set<string>();
    for (let page = 1; page <= mostPages; page++) {
      const body = await this.readPage(sender, asked, deadline);
      pages.push(body);
      const paging = fields(body.paging);
      // A page may be short or empty and still have a next one.
      if (paging.next === undefined || paging.next === null) return pages;
      const after = cursorOf(paging);
      if (after === undefined) throw listingFailed("a next page without a cursor");
      if (seen.has(after)) throw listingFailed("the pages go round in a circle");
      seen.add(after);
      asked.set("after", after);
    }
    throw listingFailed(`more than ${mostPages} pages`);
  }

  /** Reading has no side effects, so a temporary failure is retried once, within the deadline. */
  private async readPage(sender: Sender, query: URLSearchParams, deadline: number): Promise<Page> {
    const { timeouts } = this.settings;
    const path = `${encodeURIComponent(sender.accountId)}/message_templates?${query}`;
    for (let attempt = 1; ; attempt++) {
      const leftMs = Math.ceil(deadline - performance.now());
      if (leftMs <= 0) throw listingFailed(`not finished within ${timeouts.listMs} ms`);
      const limits = { connectMs: timeouts.connectMs, totalMs: Math.min(timeouts.pageMs, leftMs) };
      const outcome = await graphRead({ ...this.settings, timeouts: limits }, path, sender);
      const page = readPageAnswer(outcome, sender.accessToken);
      if ("data" in page) return page;
      const pauseMs = page.retryAfterMs ?? retryPauseMs;
      const mayRetry = page.passing && attempt === 1 && performance.now() + pauseMs < deadline;
      if (!mayRetry) throw listingFailed(page.failure);
      await sleep(pauseMs);
    }
  }
}

/** True for placeholders such as `{{name}}`. Without `parameter_format` the platform expects `{{1}}`, `{{2}}`. */
const hasNamedPlaceholders = (components: unknown): boolean =>
  Array.isArray(components) &&
  components.some((component) => /\{\{\s*(?!\d+\s*\}\})[^{}\s]+\s*\}\}/.test(String(fields(component).text)));

/** A 4xx is a refusal, unless its status or code stands for a rate limit, a timeout or a temporary trouble. */
function notTaken(error: PlatformError, status: number, accessToken: string): SubmitOutcome {
  if (platformRates.includes(error.code) || status === 429) return { kind: "not-sent" };
  const isRefusal = status >= 400 && status < 500 && status !== 408 && !platformTrouble.includes(error.code);
  return isRefusal ? { kind: "refused", words: safeReason(error, accessToken) } : { kind: "unknown" };
}

interface PageFailure {
  readonly failure: string;
  /** A second attempt may succeed. */
  readonly passing: boolean;
  readonly retryAfterMs?: number;
}

function readPageAnswer(outcome: HttpOutcome, accessToken: string): Page | PageFailure {
  if (outcome.kind !== "answer") return { failure: outcome.reason, passing: true };
  const body = parse(outcome.text);
  if (outcome.status === 200 && Array.isArray(body.data)) return { ...body, data: body.data };
  const wait = waitIn(outcome.headers);
  const error = graphError(body);
  if (!error) return { failure: `HTTP ${outcome.status}`, passing: isPassing(outcome.status), ...wait };
  return {
    failure: `${error.code} ${safeReason(error, accessToken)}`,
    passing: refusalClass(error, outcome.status, cloudAnswers.classes) === "wait-sender" || outcome.status >= 500,
    ...wait,
  };
}

/** For answers without an error object: a gateway's error, or a 200 that was damaged on the way. */
const isPassing = (status: number): boolean => status === 200 || status === 429 || status >= 500;

const templatesOf = ({ data }: Page): PlatformTemplate[] =>
  data.flatMap((entry) => {
    const { name, language, status } = fields(entry);
    if (typeof name !== "string" || typeof language !== "string") return [];
    return [{ name, language, state: templateStateOf(status) }];
  });

const reviewedOf = ({ data }: Page): ReviewedTemplate[] =>
  data.flatMap((entry) => {
    const { id, name, language, status, category, components, rejected_reason: reason } = fields(entry);
    if (typeof id !== "string" || typeof name !== "string") return [];
    if (typeof language !== "string" || typeof status !== "string") return [];
    const parts = Array.isArray(components) ? components.filter((part) => typeof part === "object" && part) : [];
    const said = typeof reason === "string" && reason !== "NONE" ? reason : null;
    const known = { platformId: id, name, language, status, reason: said, components: parts };
    return [{ ...known, category: typeof category === "string" ? category : null }];
  });

const listingFailed = (why: string): PlatformUnavailable => new PlatformUnavailable(`template listing failed: ${why}`);
