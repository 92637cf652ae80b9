import { setTimeout as sleep } from "node:timers/promises";
import type { HttpClient, HttpOutcome } from "../../../infra/http-client/http-client.ts";
import type { MessagingPlatform, PlatformAccount, TemplateMessage } from "../../application/ports.ts";
import {
  type PlatformTemplate,
  PlatformUnavailable,
  type SendOutcome,
  type TemplateState,
} from "../../domain/platform.ts";
import { type PlatformError, refusal, refusalClass, retryAfterMs, safeReason } from "./refusals.ts";

export interface CloudApiTimeouts {
  /** Milliseconds until a connection is ready; past it a send is `not-sent`. Default 3,000. */
  readonly connectMs: number;
  /** Milliseconds for one send; past it the send is `unknown`. Default 15,000. */
  readonly sendMs: number;
  /** Milliseconds for one try at one page of templates, so that a second try has room. Default 4,000. */
  readonly pageMs: number;
  /** Milliseconds for the whole list of templates. Default 10,000. */
  readonly listMs: number;
}

export interface CloudApiSettings {
  readonly client: Pick<HttpClient, "request">;
  /** Scheme and host, for instance https://graph.facebook.com. */
  readonly baseUrl: string;
  /** Default v23.0. */
  readonly version?: string;
  readonly timeouts?: Partial<CloudApiTimeouts>;
}

type Answer = Extract<HttpOutcome, { kind: "answer" }>;
type Fields = Readonly<Record<string, unknown>>;

const pageSize = 250;
const mostPages = 100;
const retryPauseMs = 200;

/** The platform's cloud channel. */
export class CloudApi implements MessagingPlatform {
  private readonly client: Pick<HttpClient, "request">;
  private readonly root: string;
  private readonly timeouts: CloudApiTimeouts;

  constructor(settings: CloudApiSettings) {
    this.client = settings.client;
    this.root = `${settings.baseUrl.replace(/\/+$/, "")}/${settings.version ?? "v23.0"}`;
    this.timeouts = { connectMs: 3_000, sendMs: 15_000, pageMs: 4_000, listMs: 10_000, ...settings.timeouts };
  }

  async sendTemplate(account: PlatformAccount, message: TemplateMessage): Promise<SendOutcome> {
    const outcome = await this.client.request({
      method: "POST",
      url: `${this.root}/${encodeURIComponent(account.phoneNumberId)}/messages`,
      headers: { ...headersFor(account), "content-type": "application/json" },
      body: JSON.stringify(sendBody(message)),
      timeouts: { connectMs: this.timeouts.connectMs, totalMs: this.timeouts.sendMs },
    });
    return outcome.kind === "answer" ? readSendAnswer(outcome, account) : outcome;
  }

  async listTemplates(account: PlatformAccount, filter?: { readonly name?: string }): Promise<PlatformTemplate[]> {
    const deadline = performance.now() + this.timeouts.listMs;
    const templates: PlatformTemplate[] = [];
    const seen = new Set<string>();
    let after: string | undefined;
    for (let page = 1; page <= mostPages; page++) {
      const body = await this.readPage(account, { after, name: filter?.name }, deadline);
      templates.push(...templatesOf(body));
      const paging = fields(body.paging);
      // A page may be short or empty and still have a next one.
      if (paging.next === undefined || paging.next === null) return templates.filter(named(filter?.name));
      after = cursorOf(paging);
      if (after === undefined) throw listingFailed("a next page without a cursor");
      if (seen.has(after)) throw listingFailed("the pages go round in a circle");
      seen.add(after);
    }
    throw listingFailed(`more than ${mostPages} pages`);
  }

  /** Reading is harmless, so what may pass by itself is tried twice, as far as the deadline allows. */
  private async readPage(
    account: PlatformAccount,
    query: { readonly after: string | undefined; readonly name: string | undefined },
    deadline: number,
  ): Promise<Fields> {
    const url = `${this.root}/${encodeURIComponent(account.accountId)}/message_templates?${pageQuery(query)}`;
    for (let attempt = 1; ; attempt++) {
      const leftMs = Math.ceil(deadline - performance.now());
      if (leftMs <= 0) throw listingFailed(`not finished within ${this.timeouts.listMs} ms`);
      const outcome = await this.client.request({
        method: "GET",
        url,
        headers: headersFor(account),
        timeouts: { connectMs: this.timeouts.connectMs, totalMs: Math.min(this.timeouts.pageMs, leftMs) },
      });
      const page = readPageAnswer(outcome, account);
      if ("data" in page) return page;
      const pauseMs = page.retryAfterMs ?? retryPauseMs;
      const mayRetry = page.passing && attempt === 1 && performance.now() + pauseMs < deadline;
      if (!mayRetry) throw listingFailed(page.failure);
      await sleep(pauseMs);
    }
  }
}

const headersFor = (account: PlatformAccount): Record<string, string> => ({
  accept: "application/json",
  authorization: `Bearer ${account.accessToken}`,
});

function sendBody(message: TemplateMessage): object {
  const { headerMedia: media, parameters } = message;
  const components: object[] = [];
  if (media) {
    components.push({ type: "header", parameters: [{ type: media.type, [media.type]: { link: media.link } }] });
  }
  if (parameters.length > 0) {
    components.push({ type: "body", parameters: parameters.map((text) => ({ type: "text", text })) });
  }
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: message.to,
    type: "template",
    biz_opaque_callback_data: message.reference,
    template: {
      name: message.templateName,
      language: { code: message.language },
      ...(components.length > 0 && { components }),
    },
  };
}

/** Only the platform's own JSON proves anything; a gateway in between can answer with any status and text. */
function readSendAnswer(answer: Answer, account: PlatformAccount): SendOutcome {
  const body = parse(answer.text);
  const id = fields(first(body.messages)).id;
  if (answer.status >= 200 && answer.status <= 299 && typeof id === "string" && id !== "") {
    const recipientId = fields(first(body.contacts)).wa_id;
    return { kind: "accepted", platformMessageId: id, ...(typeof recipientId === "string" && { recipientId }) };
  }
  const error = platformError(body);
  const cls = error && refusalClass(error, answer.status);
  if (!error || !cls) return { kind: "unknown", reason: `HTTP ${answer.status} that proves nothing` };
  const { accessToken } = account;
  return {
    kind: "refused",
    refusal: refusal(error, { class: cls, accessToken, retryAfter: answer.headers["retry-after"] }),
  };
}

interface PageFailure {
  readonly failure: string;
  /** Whether it may be gone at a second try. */
  readonly passing: boolean;
  readonly retryAfterMs?: number | undefined;
}

function readPageAnswer(outcome: HttpOutcome, account: PlatformAccount): (Fields & { data: unknown[] }) | PageFailure {
  if (outcome.kind !== "answer") return { failure: outcome.reason, passing: true };
  const body = parse(outcome.text);
  if (outcome.status === 200 && Array.isArray(body.data)) return { ...body, data: body.data };
  const retryAfter = retryAfterMs(outcome.headers["retry-after"]);
  const error = platformError(body);
  if (!error)
    return { failure: `HTTP ${outcome.status}`, passing: isPassing(outcome.status), retryAfterMs: retryAfter };
  return {
    failure: `${error.code} ${safeReason(error, account.accessToken)}`,
    passing: refusalClass(error, outcome.status) === "wait-sender" || outcome.status >= 500,
    retryAfterMs: retryAfter,
  };
}

/** Without the platform's own words: a gateway's trouble, or a 200 that was cut or garbled on the way. */
const isPassing = (status: number): boolean => status === 200 || status === 429 || status >= 500;

function pageQuery(query: { readonly after: string | undefined; readonly name: string | undefined }): string {
  return new URLSearchParams({
    fields: "name,language,status",
    limit: String(pageSize),
    ...(query.name !== undefined && { name: query.name }),
    ...(query.after !== undefined && { after: query.after }),
  }).toString();
}

/** Only the cursor is taken from `next`; its host is never asked, so that the token goes nowhere else. */
function cursorOf(paging: Fields): string | undefined {
  const { after } = fields(paging.cursors);
  if (typeof after === "string" && after !== "") return after;
  if (typeof paging.next !== "string" || !URL.canParse(paging.next)) return undefined;
  return new URL(paging.next).searchParams.get("after") || undefined;
}

function templatesOf(page: Fields): PlatformTemplate[] {
  if (!Array.isArray(page.data)) return [];
  return page.data.flatMap((entry: unknown) => {
    const { name, language, status } = fields(entry);
    if (typeof name !== "string" || typeof language !== "string") return [];
    return [{ name, language, state: stateOf(status) }];
  });
}

/** The platform's name filter may also match parts of names. */
const named = (name: string | undefined) => (template: PlatformTemplate) =>
  name === undefined || template.name === name;

/** Under appeal a template can still be approved; paused, disabled, being deleted and the like cannot be sent. */
function stateOf(status: unknown): TemplateState {
  if (status === "APPROVED") return "APPROVED";
  return status === "PENDING" || status === "IN_APPEAL" ? "PENDING" : "REJECTED";
}

function platformError(body: Fields): PlatformError | undefined {
  const { code, message, error_subcode: subcode, error_data: data } = fields(body.error);
  if (typeof code !== "number" || !Number.isInteger(code)) return undefined;
  const { details } = fields(data);
  return {
    code,
    message: typeof message === "string" ? message : "",
    ...(typeof subcode === "number" && { subcode }),
    ...(typeof details === "string" && { details }),
  };
}

/** An object without fields stands for everything that is no JSON object. */
function parse(text: string): Fields {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

const listingFailed = (why: string): PlatformUnavailable => new PlatformUnavailable(`template listing failed: ${why}`);
