import { type HttpClient, type HttpOutcome, rootOf } from "../../infra/http-client/http-client.ts";
import { type Fields, parse } from "../../infra/http-client/json.ts";
import type { Channel, ChannelMessage, Sender, SendOutcome } from "../../messaging/public.ts";
import {
  type ErrorClasses,
  type PlatformError,
  refusalClass,
  retryAfterMs,
  safeReason,
  storableCode,
} from "./refusals.ts";

export interface ChannelSettings {
  readonly client: Pick<HttpClient, "request">;
  /** Scheme and host, and the path that stands before all others, if any. */
  readonly baseUrl: string;
  readonly timeouts: {
    /** Milliseconds until a connection is ready; past it a send is `not-sent`. */
    readonly connectMs: number;
    /** Milliseconds for one send; past it the send is `unknown`. */
    readonly sendMs: number;
  };
}

/** How a platform answers a send. */
export interface AnswerDialect {
  /** The platform's id of what was accepted, as the body of a 2xx says it; without one the answer proves nothing. */
  accepted(body: Fields): { readonly id: string | undefined; readonly recipientId?: string | undefined };
  /** The error in the platform's own JSON; `undefined` when it is somebody else's answer or proves nothing. */
  error(body: Fields, httpStatus: number): PlatformError | undefined;
  readonly classes: ErrorClasses;
}

export interface SendRequest {
  /** After the base URL, with its slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A channel by what it asks of its platform for a message, and by what the platform's answers say. */
export function channelBy(
  settings: ChannelSettings,
  dialect: AnswerDialect,
  requestFor: (sender: Sender, message: ChannelMessage) => SendRequest,
): Channel {
  return {
    send: async (sender, message) => {
      const outcome = await posted(settings, requestFor(sender, message));
      return outcome.kind === "answer" ? readAnswer(outcome, dialect, sender.accessToken) : outcome;
    },
  };
}

/** One request, within the time that a send may take; it never rejects. */
export function posted(
  { client, baseUrl, timeouts: { connectMs, sendMs } }: ChannelSettings,
  { path, headers, body }: SendRequest,
): Promise<HttpOutcome> {
  return client.request({
    method: "POST",
    url: rootOf(baseUrl) + path,
    headers: { accept: "application/json", ...headers },
    body,
    timeouts: { connectMs, totalMs: sendMs },
  });
}

/**
 * Only the platform's own JSON proves anything; a gateway in between can answer with any status and text.
 *
 * @param accessToken - is kept out of reasons
 */
function readAnswer(
  answer: Extract<HttpOutcome, { kind: "answer" }>,
  dialect: AnswerDialect,
  accessToken: string,
): SendOutcome {
  const body = parse(answer.text);
  const { id, recipientId } = dialect.accepted(body);
  if (id && answer.status >= 200 && answer.status <= 299)
    return { kind: "accepted", platformMessageId: id, ...(recipientId && { recipientId }) };
  const error = dialect.error(body, answer.status);
  const cls = error && refusalClass(error, answer.status, dialect.classes);
  if (!error || !cls) return { kind: "unknown", reason: `HTTP ${answer.status} that proves nothing` };
  const wait = retryAfterMs(answer.headers["retry-after"]);
  return {
    kind: "refused",
    refusal: {
      class: cls,
      code: storableCode(error.code),
      reason: safeReason(error, accessToken),
      ...(wait !== undefined && { retryAfterMs: wait }),
    },
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
