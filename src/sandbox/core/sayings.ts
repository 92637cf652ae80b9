import { integer, oneOf, optional, type Reader, reader, shape, text } from "./input.ts";

const base64 = reader<string>(
  "be base64",
  (value) => typeof value === "string" && value.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(value.replace(/==?$/, "")),
);

const mediaType = reader<string>(
  "be a media type of at most 100 characters",
  (value) => typeof value === "string" && value.length <= 100 && /^[\w.+-]+\/[\w.+-]+(;[ -~]*)?$/.test(value),
);

const readFile = shape({
  type: oneOf("image", "audio", "document", "video", "sticker"),
  mime: mediaType,
  base64: optional(base64),
  filename: optional(text(240)),
});

/** A file that a customer sends. */
export interface SaidMedia {
  readonly type: "image" | "audio" | "document" | "video" | "sticker";
  readonly mime: string;
  readonly bytes: Buffer;
  readonly filename: string | undefined;
}

export const readMedia: Reader<SaidMedia> = (value, name) => {
  const { type, mime, base64: encoded = "", filename } = readFile(value, name);
  return { type, mime, bytes: Buffer.from(encoded, "base64"), filename };
};

const envelopeFields = {
  /** What it is sent to: a number's, page's or instance's id, or a phone number. */
  to: optional(text(100)),
  /** The customer's name. */
  name: optional(text(256)),
  /** The platform's id of the message; made up when absent. */
  id: optional(text(256)),
  /** Unix seconds. */
  timestamp: optional(integer(0, 10_000_000_000)),
  /** How often it is delivered. */
  repeat: optional(integer(1, 10)),
};

/** What customers can say on every channel; a channel reads these with its own. */
export const sayingFields = {
  ...envelopeFields,
  text: optional(text()),
  media: optional(readMedia),
  /** The platform's id of the message that it answers. */
  reply_to: optional(text(512)),
};

/** A reaction on every channel; an empty emoji takes it back. */
export const reactionFields = {
  ...envelopeFields,
  message_id: text(512),
  emoji: reader<string>("be an emoji, or empty", (value) => typeof value === "string" && value.length <= 64),
};

/** A button that the customer presses: its text, which is its payload too, or both. */
export const readButton: Reader<{ text: string; payload: string }> = (value, name) => {
  if (typeof value === "string") return { text: text(256)(value, name), payload: value };
  return shape({ text: text(256), payload: text(256) })(value, name);
};
