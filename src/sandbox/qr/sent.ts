import { type Fields, isObject, isWebAddress } from "../core/input.ts";
import type { SentMessage } from "../core/shared.ts";
import { refusal, validationError } from "./refusals.ts";

/** The part of a client's message that tests and people may want to see. */
export type SentContent = Pick<SentMessage, "type" | "text" | "media">;

/** The message to which the new message replies, in the form that all channels share. */
export function contextOf({ quoted }: Fields): object | undefined {
  if (quoted === undefined) return undefined;
  const id = isObject(quoted) && isObject(quoted.key) ? quoted.key.id : undefined;
  if (typeof id !== "string" || id === "") throw validationError('requires property "key.id"');
  return { message_id: id };
}

export function textContent({ number, text }: Fields): SentContent {
  if (typeof number !== "string") throw validationError('requires property "number"');
  if (typeof text !== "string") throw validationError('requires property "text"');
  if (text.trim() === "") throw refusal(400, ["Text is required"]);
  return { type: "text", text };
}

const mediaTypes: readonly unknown[] = ["image", "document", "video", "audio"];

export function mediaContent({ number, mediatype, media, caption, fileName }: Fields): SentContent {
  if (typeof number !== "string") throw validationError('requires property "number"');
  if (typeof mediatype !== "string" || !mediaTypes.includes(mediatype)) {
    throw validationError("mediatype is not one of enum values: image,document,video,audio");
  }
  if (!isWebAddress(media)) throw refusal(400, ["Owned media must be a url or base64"]);
  if (mediatype === "document" && fileName === undefined && !/\/.+\./.test(new URL(media).pathname)) {
    throw refusal(500, ["TypeError: Cannot read properties of null (reading '1')"]);
  }
  return {
    type: mediatype,
    ...(typeof caption === "string" && { text: caption }),
    media: { link: media, ...(typeof fileName === "string" && { fileName }) },
  };
}

export function readIn({ readMessages }: Fields): string[] {
  if (!Array.isArray(readMessages)) throw validationError('requires property "readMessages"');
  return readMessages.map((key) => {
    const { id, remoteJid, fromMe } = isObject(key) ? key : {};
    if (typeof id === "string" && typeof remoteJid === "string" && typeof fromMe === "boolean") return id;
    throw validationError('readMessages requires properties "id", "fromMe" and "remoteJid"');
  });
}

/** The message in the provider's form, for answers and webhooks. */
export const sentToWire = ({ type, text, media }: SentContent): { messageType: string; message: Fields } =>
  type === "text"
    ? { messageType: "conversation", message: { conversation: text } }
    : { messageType: `${type}Message`, message: { [`${type}Message`]: { ...media, caption: text } } };
