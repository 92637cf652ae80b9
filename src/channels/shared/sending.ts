import { type HttpClient, type HttpOutcome, type HttpTimeouts, rootOf } from "../../infra/http-client/http-client.ts";
import { type Fields, parse } from "../../infra/http-client/json.ts";
import { type ChannelName, type TextLimit, textLimitOf } from "../../kernel/channels.ts";
import type { Channel, ChannelMessage, Sender, SendOutcome } from "../../messaging/public.ts";
import { type ErrorClasses, type PlatformError, refusalClass, safeReason, storableCode, waitIn } from "./refusals.ts";

export interface ChannelSettings {
  readonly client: Pick<HttpClient, "request">;
  /** Scheme, host and an optional path prefix. */
  readonly baseUrl: string;
  /** Without a connection in `connectMs`, a send is `not-sent`. Without an answer in `totalMs`, it is `unknown`. */
  readonly timeouts: HttpTimeouts;
}

/** How a platform answers a send. */
export interface AnswerDialect {
  /** The platform's id of the message; an answer without an id does not prove that the message was accepted. */
  accepted(body: Fields): { readonly id: string | undefined; readonly recipientId?: string | undefined };
  /** The platform's own error. `undefined` if the answer is not the platform's, or proves nothing. */
  error(body: Fields, httpStatus: number): PlatformError | undefined;
  readonly classes: ErrorClasses;
}

export interface PostRequest {
  /** Follows the base URL; begins with a slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A channel that sends each message with one request. */
export function channelBy(
  settings: ChannelSettings,
  dialect: AnswerDialect,
  requestFor: (sender: Sender, message: ChannelMessage) => PostRequest,
): Channel {
  return {
    send: async (sender, message) => {
      const outcome = await posted(settings, requestFor(sender, message));
      return outcome.kind === "answer" ? readAnswer(outcome, dialect, sender.accessToken) : outcome;
    },
  };
}

/** Makes one request within the given times; never rejects. */
export function posted(
  { client, baseUrl, timeouts }: ChannelSettings,
  { path, headers, ...content }: PostRequest,
): Promise<HttpOutcome> {
  return client.request({
    method: "POST",
    url: rootOf(baseUrl) + path,
    headers: { accept: "application/json", ...headers },
    ...content,
    timeouts,
  });
}

/**
 * Only the platform's own JSON is accepted as proof: a gateway in between can answer with any status and text.
 *
 * @param accessToken - is removed from reasons
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
  return {
    kind: "refused",
    refusal: {
      class: cls,
      code: storableCode(error.code),
      reason: safeReason(error, accessToken),
      ...waitIn(answer.headers),
    },
  };
}

/** The channel's limit if the text exceeds it, else null. */
export function exceededBy(text: string, channel: ChannelName): TextLimit | null {
  const limit = textLimitOf(channel);
  if (limit === null) return null;
  // Platforms do not say how they count characters. `length` is a strict count: most emoji count as two or more.
  const length = limit.unit === "bytes" ? Buffer.byteLength(text) : text.length;
  return length > limit.length ? limit : null;
}

/** Some channels cannot send a text and a file in one message: they send the text with a link to the file. */
export const textWithLink = (text: string, link: string): string => (text === "" ? link : `${text}\n\n${link}`);

/** Audio files have no caption, so an audio file with a text becomes a link below the text. */
export const captioned = ({ text, media }: Pick<ChannelMessage, "text" | "media">) =>
  media?.type === "audio" && text !== "" ? { text: textWithLink(text, media.link), media: undefined } : { text, media };

/** The file name in the customer's chat. */
export const documentName = ({ name, link }: NonNullable<ChannelMessage["media"]>): string => name ?? fileNameOf(link);

/** The last part of the link's path; `document` if there is none. */
export function fileNameOf(link: string): string {
  const last = URL.canParse(link) ? (new URL(link).pathname.split("/").at(-1) ?? "") : "";
  try {
    return decodeURIComponent(last) || "document";
  } catch {
    return last;
  }
}
