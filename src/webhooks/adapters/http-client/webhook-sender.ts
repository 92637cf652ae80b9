import { createHmac } from "node:crypto";
import http from "node:http";
import { beginningOf, HttpClient, type HttpOutcome, type HttpRequest } from "../../../infra/http-client/http-client.ts";
import { AnyCertificateAgent, pooled } from "../../../infra/http-client/pooled-agent.ts";
import { isPublicLiteral, notPublicCode, PublicOnlyAgent } from "../../../infra/http-client/public-only-agent.ts";
import { storableText } from "../../../kernel/text.ts";
import type { Attempt, WebhookRequest, WebhookSender } from "../../application/ports.ts";

interface HttpWebhookSenderSettings {
  /** Milliseconds for one attempt, from the connection to the last byte. */
  readonly timeoutMs: number;
  /** For tests: allows private addresses, http and any certificate. */
  readonly allowPrivate: boolean;
}

/** The most bytes of an answer that are read. The connection of a longer answer is closed. */
const keptBytes = 1_024;
/**
 * Connections are kept for later attempts. Their number has no limit: with a limit, endpoints of one host would wait
 * for each other. After a minute a connection is not reused, so that the host's name is resolved again.
 */
const pool = { maxSockets: Number.POSITIVE_INFINITY, idleSocketMs: 4_000, keptSocketMs: 60_000 };
const secretPrefix = "whsec_";

/** Posts to addresses that businesses chose, according to Standard Webhooks. Follows no redirects. */
export class HttpWebhookSender implements WebhookSender {
  private readonly client: HttpClient;

  constructor(private readonly settings: HttpWebhookSenderSettings) {
    const { allowPrivate, timeoutMs } = settings;
    this.client = new HttpClient({
      agents: {
        http: pooled(http.Agent, pool),
        https: pooled(allowPrivate ? AnyCertificateAgent : PublicOnlyAgent, pool),
      },
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
      cutAnswersAt: keptBytes,
    });
  }

  async send(request: WebhookRequest): Promise<Attempt> {
    const { url, id, body, secrets } = request;
    const isUsable = URL.canParse(url) && (this.settings.allowPrivate || new URL(url).protocol === "https:");
    if (!isUsable) return { ...failed("not an address for deliveries"), isFinal: true };
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

  /** Sends a request again if its kept connection was closed. A receiver recognizes a repeated event by its id. */
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
    // Decoding replaces invalid bytes by a longer character, so the answer is cut again.
    const answer = beginningOf(Buffer.from(storableText(outcome.text)), keptBytes);
    return { status: outcome.status, answer, error: null };
  }
  if (outcome.reason.endsWith(notPublicCode)) {
    return { ...failed("address not allowed: it is in a private network"), isFinal: true };
  }
  return failed(outcome.reason);
}

const failed = (error: string): Attempt => ({ status: null, answer: null, error });

const localName = /(^|\.)(localhost|local|internal)\.?$/i;

type UrlError = "malformed" | "credentials" | "not_https" | "own_network";

/** Why a URL is refused for webhooks; null if it is accepted. Each connection also checks the host's IP address. */
export function urlErrorOf(text: string, allowPrivate: boolean): UrlError | null {
  if (!URL.canParse(text)) return "malformed";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "credentials";
  if (allowPrivate) return null;
  if (url.protocol !== "https:") return "not_https";
  return localName.test(url.hostname) || !isPublicLiteral(url.hostname) ? "own_network" : null;
}
