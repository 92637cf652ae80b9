import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { beginningOf, HttpClient, type HttpOutcome, type HttpRequest } from "../../../infra/http-client/http-client.ts";
import { pooled } from "../../../infra/http-client/pooled-agent.ts";
import { isPublicLiteral, notPublicCode, PublicOnlyAgent } from "../../../infra/http-client/public-only-agent.ts";
import { storableText } from "../../../kernel/text.ts";
import type { Attempt, WebhookRequest, WebhookSender } from "../../application/ports.ts";

export interface HttpWebhookSenderSettings {
  /** Milliseconds for one attempt, from the connection to the last byte. */
  readonly timeoutMs: number;
  /** Tests only: private addresses too, http, and any certificate. */
  readonly allowPrivate: boolean;
}

/** Of an answer. The connection of one that is cut is left. */
const keptBytes = 1_024;
/**
 * Connections are kept for what comes next. There are as many as attempts, which are bounded for each endpoint; an agent
 * that bounds them would have endpoints of one host wait for each other. A minute later names are looked up again.
 */
const pool = { maxSockets: Number.POSITIVE_INFINITY, idleSocketMs: 4_000, keptSocketMs: 60_000 };
const secretPrefix = "whsec_";

class AnyCertificateAgent extends https.Agent {
  constructor(options: https.AgentOptions) {
    super({ ...options, rejectUnauthorized: false });
  }
}

/** Posts to addresses that businesses chose, as Standard Webhooks has it. Follows no redirect. */
export class HttpWebhookSender implements WebhookSender {
  private readonly client: HttpClient;

  constructor(private readonly settings: HttpWebhookSenderSettings) {
    const { allowPrivate, timeoutMs } = settings;
    this.client = new HttpClient({
      agents: {
        http: pooled(http.Agent, pool),
        https: allowPrivate ? pooled(AnyCertificateAgent, pool) : pooled(PublicOnlyAgent, pool),
      },
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
      cutAnswersAt: keptBytes,
    });
  }

  async send(request: WebhookRequest): Promise<Attempt> {
    const { url, id, body, secrets } = request;
    const isUsable = URL.canParse(url) && (this.settings.allowPrivate || new URL(url).protocol === "https:");
    if (!isUsable) return { ...failed("not an address to deliver to"), isFinal: true };
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signatures = secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`));
    const headers = {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "user-agent": "Recado",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
    };
    return attemptOf(await this.ask({ method: "POST", url, headers, body }));
  }

  /** A second time where a kept connection turned out to be closed: a receiver that has it drops the repeat by its id. */
  private async ask(request: HttpRequest): Promise<HttpOutcome> {
    const begun = performance.now();
    const outcome = await this.client.request(request);
    if (outcome.kind === "answer" || !outcome.brokeWhenKept) return outcome;
    const leftMs = Math.max(1, this.settings.timeoutMs - (performance.now() - begun));
    return this.client.request({ ...request, timeouts: { connectMs: leftMs, totalMs: leftMs } });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

const signatureOf = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

function attemptOf(outcome: HttpOutcome): Attempt {
  if (outcome.kind === "answer") {
    // Bytes that are no text have become longer.
    const answer = beginningOf(Buffer.from(storableText(outcome.text)), keptBytes);
    return { status: outcome.status, answer, error: null };
  }
  if (outcome.reason.endsWith(notPublicCode)) {
    return { ...failed("address not allowed: it leads into a private network"), isFinal: true };
  }
  return failed(outcome.reason);
}

const failed = (error: string): Attempt => ({ status: null, answer: null, error });

const localName = /(^|\.)(localhost|local|internal)\.?$/i;

export type UrlError = "malformed" | "credentials" | "not_https" | "own_network";

/** Why webhooks are not delivered to an address; null where they are. Each connection checks the addresses that the name resolves to. */
export function urlErrorOf(text: string, allowPrivate: boolean): UrlError | null {
  if (!URL.canParse(text)) return "malformed";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "credentials";
  if (allowPrivate) return null;
  if (url.protocol !== "https:") return "not_https";
  return localName.test(url.hostname) || !isPublicLiteral(url.hostname) ? "own_network" : null;
}
