import { type Fields, fields, first, textOf } from "../../infra/http-client/json.ts";
import type { Channel, ChannelMessage, Sender } from "../../messaging/public.ts";
import { errorClasses, type PlatformError } from "../shared/refusals.ts";
import {
  type AnswerDialect,
  type ChannelSettings,
  captioned,
  channelBy,
  documentName,
  type PostRequest,
  posted,
} from "../shared/sending.ts";
import { addressOf } from "./key.ts";

/** The QR gateway has no templates and does not return our reference. */
export const qrProvider = (settings: ChannelSettings): Channel => ({
  ...channelBy(settings, dialect, (sender, message) =>
    requestOf(sender, captioned(message).media ? "/message/sendMedia" : "/message/sendText", {
      ...contentOf(message),
      ...(message.replyTo !== undefined && { quoted: { key: { id: message.replyTo } } }),
    }),
  ),
  markRead: async (sender, { platformMessageId: id, customer }) => {
    const readMessages = [{ remoteJid: addressOf(customer), fromMe: false, id }];
    await posted(settings, requestOf(sender, "/chat/markMessageAsRead", { readMessages }));
  },
});

const requestOf = ({ platformId, accessToken }: Sender, path: string, body: object): PostRequest => ({
  path: `${path}/${encodeURIComponent(platformId)}`,
  headers: { apikey: accessToken, "content-type": "application/json" },
  body: JSON.stringify(body),
});

function contentOf({ to: number, ...content }: ChannelMessage): object {
  const { text, media } = captioned(content);
  if (!media) return { number, text };
  return {
    number,
    mediatype: media.type,
    media: media.link,
    ...(text !== "" && { caption: text }),
    // Only documents need a name: the provider fails if the link of a document has no extension.
    ...(media.type === "document" && { fileName: documentName(media) }),
  };
}

const dialect: AnswerDialect = {
  accepted(body) {
    const { id, remoteJid } = fields(body.key);
    return { id: textOf(id), recipientId: /^(\d+)@s\.whatsapp\.net$/.exec(textOf(remoteJid) ?? "")?.[1] };
  },
  error: provenError,
  classes: errorClasses({
    "wait-sender": [429, 500],
    // Errors of the API key (401), of a permission (403) or of the instance (404).
    stop: [401, 403, 404],
    final: [400],
  }),
};

/**
 * The provider has no error codes, so the HTTP status serves as the code. A 400 alone does not prove a refusal: it also
 * occurs if the message was sent but could not be stored. Only errors from before the send are accepted as proof.
 */
function provenError(body: Fields, httpStatus: number): PlatformError | undefined {
  const { message } = fields(body.response);
  const isOwn = body.status === httpStatus && textOf(body.error) !== undefined && message !== undefined;
  if (!isOwn) return undefined;
  const error = (reason: string): PlatformError => ({ code: httpStatus, message: reason });
  switch (httpStatus) {
    case 400:
      if (fields(first(message)).exists === false) return error("the number does not exist on this channel");
      return isComplaint(message) ? error(`bad request: ${message.flat().join("; ")}`) : undefined;
    case 401:
    case 403:
    case 404:
    case 429:
      return error(`${body.error}: ${[message].flat().filter(isText).join("; ")}`);
    case 500:
      // If `message` is a plain text, the error comes from the check of the number, which precedes the send.
      return message === "Connection Closed" ? error("the phone is not connected") : undefined;
    default:
      return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Errors of the request's validation are nested lists of texts; other errors are flat lists or plain texts. */
const isComplaint = (message: unknown): message is string[][] =>
  Array.isArray(message) && Array.isArray(message[0]) && message.flat().every(isText);
