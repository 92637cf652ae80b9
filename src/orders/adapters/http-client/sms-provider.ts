import type { HttpClient } from "../../../infra/http-client/http-client.ts";
import type { SmsOutcome, SmsSender } from "../../application/delivery/integrations.ts";
import { fieldsOf, rootOf } from "./integration.ts";

export interface SmsSettings {
  readonly client: Pick<HttpClient, "request">;
  /** A user and a password in it become basic authentication. */
  readonly baseUrl: string;
  /** Milliseconds until a connection is ready, and for all of it. */
  readonly connectMs: number;
  readonly timeoutMs: number;
}

/**
 * `POST <base>/messages` with `{ "to": "59170000001", "text", "reference" }`. Accepted is a 2xx with `{ "id" }`, refused a
 * 4xx with `{ "code": <number>, "message" }`; anything else proves nothing.
 */
export class HttpSmsProvider implements SmsSender {
  constructor(private readonly settings: SmsSettings) {}

  async send(message: { to: string; text: string; reference: string }): Promise<SmsOutcome> {
    const { client, baseUrl, connectMs, timeoutMs } = this.settings;
    const { to, text, reference } = message;
    const outcome = await client.request({
      method: "POST",
      url: `${rootOf(baseUrl)}/messages`,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ to, text, reference }),
      timeouts: { connectMs, totalMs: timeoutMs },
    });
    return outcome.kind === "answer" ? outcomeOf(outcome.status, outcome.text) : outcome;
  }
}

function outcomeOf(status: number, body: string): SmsOutcome {
  const { id, code, message } = fieldsOf(body);
  if (status >= 200 && status <= 299 && typeof id === "string" && id !== "") return { kind: "accepted", id };
  const isRefusal = status >= 400 && status <= 499 && isCode(code) && typeof message === "string";
  if (isRefusal) return { kind: "refused", code, reason: safe(message) };
  return { kind: "unknown", reason: `HTTP ${status} that proves nothing` };
}

const isCode = (code: unknown): code is number => Number.isInteger(code) && Math.abs(Number(code)) < 2 ** 31;

/** Without numbers and line breaks: it goes to operators. */
const safe = (message: string): string =>
  message
    .replace(/\d{7,}/g, "***")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, 300);
