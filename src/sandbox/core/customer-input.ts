import { integer, oneOf, optional, reader, type Settings, shape, text, textLike } from "./input.ts";

const readFile = shape({
  type: oneOf("image", "audio", "document", "video", "sticker"),
  mime: textLike(/^(?=.{3,100}$)[\w.+-]+\/[\w.+-]+(;[ -~]*)?$/, "be a media type of at most 100 characters"),
  base64: optional(reader<string>({ type: "string", format: "base64", must: "be base64" })),
  filename: optional(text(240)),
});

export type CustomerFile = Omit<Settings<typeof readFile>, "base64"> & { readonly bytes: Buffer };

export const readMedia = reader<CustomerFile>({
  ...readFile.json,
  becomes: ({ base64 = "", ...file }: Settings<typeof readFile>) => ({ ...file, bytes: Buffer.from(base64, "base64") }),
});

const envelopeFields = {
  /** Where the customer writes to: a phone number, or the id of a number, page, instance or account. */
  to: optional(text(100)),
  name: optional(text(256)),
  /** The platform's id of the message; random when absent. */
  id: optional(text(256)),
  /** Unix seconds. */
  timestamp: optional(integer(0, 10_000_000_000)),
  /** How many times the webhook is delivered. */
  repeat: optional(integer(1, 10)),
};

/** What customers can send on every channel. A channel adds its own fields. */
export const messageFields = {
  ...envelopeFields,
  text: optional(text()),
  media: optional(readMedia),
  /** The platform's id of the message that this message answers. */
  reply_to: optional(text(512)),
};

const { id, timestamp, repeat } = envelopeFields;
/** A message from the business to a customer, written in another app instead of through the API. */
export const readWriting = shape({ text: text(), id, timestamp, repeat });

/** Milliseconds since 1970; now by default. */
export const momentOf = (seconds: number | undefined): number => (seconds === undefined ? Date.now() : seconds * 1_000);

export const nameOf = (customer: string): string => `Customer ${customer.slice(-4)}`;

/** The fields of a reaction on every channel. An empty emoji removes the reaction. */
export const reactionFields = {
  ...envelopeFields,
  message_id: text(512),
  emoji: reader<string>({ type: "string", maxLength: 64, must: "be an emoji, or empty" }),
};

/** A button that the customer presses: an object with text and payload, or one text that is both. */
export const readButton = reader<{ text: string; payload: string }>({
  ...shape({ text: text(256), payload: text(256) }).json,
  ...text(256).json,
  type: ["string", "object"],
  becomes: (button: unknown) => (typeof button === "string" ? { text: button, payload: button } : button),
});
