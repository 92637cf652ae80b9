import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import { servedRoutes } from "../http/routes.ts";
import type { Answer } from "../support/http.ts";
import { asking, type FuzzRequest, firstIdOf, untouched } from "./requests.ts";
import { type Logged, type Stage, secrets, tracesOf } from "./stage.ts";
import { type Json, record } from "./values.ts";

/** Milliseconds within which each request must be answered. */
export const patienceMs = 30_000;

interface WantedFailure {
  readonly why: string;
  /** Expected only while the platforms fail. */
  readonly onlyWithFaults?: boolean;
  /** 500 unless given. */
  readonly status?: number;
  /** Selects requests for which this failure is not expected. */
  readonly not?: (request: FuzzRequest) => boolean;
}

const hasOwnOrder = ({ path, who }: FuzzRequest): boolean =>
  [0, 1, 2, 3].some((n) => path === `/catalogs/order/${firstIdOf(who.businessId) + n}`);

/**
 * These failures are expected even while no platform fails: after the ad platform has refused a request for an account,
 * the service sends no more requests for this account for a while.
 */
const ofAds = { why: "§15.9, §16.5: the ad platform fails, or was asked too often" };
const ofPayments = { why: "§8: no such order or business, nothing to send from, or a platform that does not take it" };
const ofCampaigns = { why: "§4: the state of the template cannot be asked for", onlyWithFaults: true };

const ofPlatforms = { why: "a platform that does not answer as it should", onlyWithFaults: true, status: 502 };

/** Failures that the specification wants, by operation. */
const wantedFailures: Readonly<Record<string, WantedFailure>> = {
  listTemplates: { why: "§1: a business or user that is not the caller's; or a platform that cannot be asked" },
  listTicketSteps: { why: "§6: a business that is not the caller's" },
  sendTemplate: { why: "§2.8: the outcome is unknown, or the platform is not there", onlyWithFaults: true },
  sendTemplateToChat: { why: "§3: the outcome is unknown, or the platform is not there", onlyWithFaults: true },
  registerCampaign: ofCampaigns,
  previewCampaign: ofCampaigns,
  getOrder: { why: "§12.9: a missing order is a 500", not: hasOwnOrder },
  removeOrderLine: { why: "§11.3: an order that is not there is a 500, the line being removed" },
  sendPaymentLink: ofPayments,
  sendPaymentLinkByTemplate: ofPayments,
  sendPaymentLinkBySms: ofPayments,
  listAdCampaigns: ofAds,
  listAdAccounts: ofAds,
  listAdSets: ofAds,
  submitTemplate: ofPlatforms,
  syncTemplates: ofPlatforms,
  createSender: ofPlatforms,
  changeSender: ofPlatforms,
  getSenderCode: ofPlatforms,
  createAdAccess: ofPlatforms,
  changeAdAccess: ofPlatforms,
};

/** Checks answers against the API document that the service itself serves. */
export class Checks {
  private readonly ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  private readonly compiled = new WeakMap<object, ValidateFunction>();

  /** The routes that serve the document. The document does not describe them. */
  private readonly documentation = servedRoutes().filter(({ tag }) => tag === "documentation");

  private constructor(private readonly document: Json) {}

  static async open(stage: Stage): Promise<Checks> {
    const { json } = await stage.world.get("/openapi.json");
    return new Checks(json);
  }

  /** What is wrong with an answer, or null. The same problem always gets the same text. */
  problemOf(request: FuzzRequest, answer: Answer, logged: readonly Logged[], faults: boolean): string | null {
    const served = logged.find(({ message }) => message === "request")?.fields;
    if (!served) return "the request is not in the access log";
    const failed = logged.find(({ level }) => level === "error");
    if (failed) return `${answer.status}, and the log says: ${describeLine(failed)}`;
    return (
      this.undocumented(String(served.method), String(served.route), answer) ??
      (answer.status >= 500 ? unwanted(request, answer, faults) : null) ??
      leak(request, answer)
    );
  }

  private undocumented(method: string, route: string, answer: Answer): string | null {
    const { status } = answer;
    const path = route.replaceAll(/:(\w+)/g, "{$1}");
    const operation = record(
      record(record(this.document.paths)[path])[(method === "HEAD" ? "GET" : method).toLowerCase()],
    );
    if (operation.responses === undefined) {
      const documenting = this.documentation.find((each) => each.path === route && ["GET", "HEAD"].includes(method));
      if (documenting) return documenting.responses[status] || status === 304 ? null : `${status} is not documented`;
      return this.unserved(method, answer);
    }
    if (isTransportFailure(answer)) return null;
    const response = this.resolved(record(operation.responses)[status]);
    if (response === null) return `${status} is not documented`;
    if (method === "HEAD" || status === 304) return answer.text === "" ? null : "a body where there is none";
    return this.wrongBody(response, answer);
  }

  /** The problem of an answer to an unknown path or method; null if there is none. */
  private unserved(method: string, { status, type, text }: Answer): string | null {
    if (method === "OPTIONS" && (status === 200 || status === 204)) return null;
    if (status !== 404 && status !== 405) return `${status} to what no operation serves`;
    if (method === "HEAD") return null;
    const isWorded = type === "application/json" && typeof parsed(text)?.value === "object";
    return isWorded ? null : `${status} without its words`;
  }

  private resolved(response: unknown): Json | null {
    if (response === undefined) return null;
    const { $ref } = record(response);
    if (typeof $ref !== "string") return record(response);
    const [, , kind = "", name = ""] = $ref.split("/");
    return record(record(record(this.document.components)[kind])[name]);
  }

  private wrongBody({ content }: Json, { status, type, text }: Answer): string | null {
    const types = record(content);
    const described = types[type] ?? types["*/*"];
    if (described === undefined) {
      return content === undefined || type === "" ? null : `${status} with a body of type ${type}, not documented`;
    }
    const { schema } = record(described);
    if (type !== "application/json" || typeof schema !== "object" || schema === null) return null;
    const body = parsed(text);
    if (body === null) return `${status} with a body that is no JSON`;
    const isValid = this.validator(schema);
    if (isValid(body.value)) return null;
    return `${status} with a body that is not as documented: ${this.ajv.errorsText(isValid.errors)}`;
  }

  private validator(schema: object): ValidateFunction {
    const { components } = this.document;
    const known = this.compiled.get(schema) ?? this.ajv.compile({ ...schema, components } as AnySchema);
    this.compiled.set(schema, known);
    return known;
  }
}

/**
 * Whether the document need not list this failure at the operation. An answer to HEAD has no body, so a 415 without a
 * text counts, too.
 */
function isTransportFailure({ status, type, text }: Answer): boolean {
  const { message, error } = type === "application/json" ? record(parsed(text)?.value) : {};
  // Authentication rule 4: 400 without a session token, and 401 with an invalid one.
  if ((status === 400 && error === "Token is required") || (status === 401 && error === "Invalid token")) return true;
  return (
    (status === 400 && message === "Request body is not valid JSON") ||
    (status === 415 && (message !== undefined || text === ""))
  );
}

function parsed(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function unwanted(request: FuzzRequest, { status }: Answer, faults: boolean): string | null {
  const wanted = wantedFailures[request.operationId];
  if (!wanted || status !== (wanted.status ?? 500)) return `${status}, which nothing wants`;
  if (wanted.not?.(request)) return `500, although ${wanted.why} does not hold`;
  return wanted.onlyWithFaults && !faults ? `${status}, although no platform fails (${wanted.why})` : null;
}

/** Data of another business, or a secret, in an answer. */
function leak({ who }: FuzzRequest, answer: Answer): string | null {
  const seen = `${JSON.stringify(answer.headers)} ${answer.text}`;
  const others = [...asking, untouched].filter((id) => id !== who.businessId);
  if (others.flatMap(tracesOf).some((trace) => seen.includes(trace))) return "another business's data in an answer";
  return secrets.some((secret) => seen.includes(secret)) ? "a platform's token in an answer" : null;
}

/** The log line without its variable parts. */
export function describeLine({ fields, message }: Logged): string {
  const { err } = fields;
  const text = err instanceof Error ? `${message}: ${err.name}: ${err.message}` : message;
  return text.replaceAll(/\d{3,}|[0-9a-f]{8}-[0-9a-f-]{27}/g, "<n>").slice(0, 300);
}
