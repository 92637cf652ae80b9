import { type HttpClient, type HttpOutcome, rootOf } from "../../../infra/http-client/http-client.ts";
import { type Fields, parse } from "../../../infra/http-client/json.ts";
import type { ChannelMessage } from "../../application/sends/ports.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import { type ErrorClasses, type PlatformError, refusal, refusalClass } from "./refusals.ts";

export interface SendTimeouts {
  /** Milliseconds until a connection is ready; past it a send is `not-sent`. */
  readonly connectMs: number;
  /** Milliseconds for one send; past it the send is `unknown`. */
  readonly sendMs: number;
}

export interface ChannelSettings {
  readonly client: Pick<HttpClient, "request">;
  /** Scheme and host, and the path that stands before all others, if any. */
  readonly baseUrl: string;
  readonly timeouts: SendTimeouts;
}

/** How a platform answers a send. */
export interface AnswerDialect {
  /** What was accepted, as the body of a 2xx says; `undefined` when it does not. */
  accepted(body: Fields): { readonly platformMessageId: string; readonly recipientId?: string } | undefined;
  /** The error in the platform's own JSON; `undefined` when it is somebody else's answer or proves nothing. */
  error(body: Fields, httpStatus: number): PlatformError | undefined;
  readonly classes: ErrorClasses;
}

export interface SendRequest {
  /** After the base URL, with its slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Kept out of reasons. */
  readonly accessToken: string;
}

/** Makes the one request of a send and says what is known of it then; never rejects. */
export type Post = (request: SendRequest) => Promise<SendOutcome>;

export function postTo({ client, baseUrl, timeouts }: ChannelSettings, dialect: AnswerDialect): Post {
  const root = rootOf(baseUrl);
  const { connectMs, sendMs } = timeouts;
  return async ({ path, headers, body, accessToken }) => {
    const outcome = await client.request({
      method: "POST",
      url: root + path,
      headers: { accept: "application/json", ...headers },
      body,
      timeouts: { connectMs, totalMs: sendMs },
    });
    return outcome.kind === "answer" ? readAnswer(outcome, dialect, accessToken) : outcome;
  };
}

/** Only the platform's own JSON proves anything; a gateway in between can answer with any status and text. */
function readAnswer(
  answer: Extract<HttpOutcome, { kind: "answer" }>,
  dialect: AnswerDialect,
  accessToken: string,
): SendOutcome {
  const body = parse(answer.text);
  const accepted = answer.status >= 200 && answer.status <= 299 ? dialect.accepted(body) : undefined;
  if (accepted) return { kind: "accepted", ...accepted };
  const error = dialect.error(body, answer.status);
  const cls = error && refusalClass(error, answer.status, dialect.classes);
  if (!error || !cls) return { kind: "unknown", reason: `HTTP ${answer.status} that proves nothing` };
  return {
    kind: "refused",
    refusal: refusal(error, { class: cls, accessToken, retryAfter: answer.headers["retry-after"] }),
  };
}

/** For channels that cannot carry both in one message. */
export const textWithLink = (text: string, link: string): string => (text === "" ? link : `${text}\n\n${link}`);

/** Voice carries no caption: with a text, a link to it goes below that. */
export const captioned = ({ text, media }: Pick<ChannelMessage, "text" | "media">) =>
  media?.type === "audio" && text !== "" ? { text: textWithLink(text, media.link), media: undefined } : { text, media };

/** What a document is called in the customer's chat: the last part of its link. */
export function fileNameOf(link: string): string {
  const last = URL.canParse(link) ? (new URL(link).pathname.split("/").at(-1) ?? "") : "";
  try {
    return decodeURIComponent(last) || "document";
  } catch {
    return last;
  }
}
