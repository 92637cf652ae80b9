import { createHash, randomBytes, randomInt } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import {
  BadInput,
  type Fields,
  integer,
  object,
  oneOf,
  optional,
  phoneNumber,
  type Reader,
  reader,
  type Settings,
  shape,
  text,
} from "../core/input.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { Windows } from "../core/windows.ts";
import { type Accounts, changesEnvelope, type Sender } from "./accounts.ts";

const remembered = 200_000;

const readButton: Reader<{ text: string; payload: string }> = (value, name) => {
  if (typeof value === "string") return { text: text(256)(value, name), payload: value };
  return shape({ text: text(256), payload: text(256) })(value, name);
};

const mediaTypes = ["image", "audio", "document", "video", "sticker"] as const;

const readMedia = shape({
  type: oneOf(...mediaTypes),
  mime: text(100),
  base64: optional(reader<string>("be base64", (value) => typeof value === "string" && base64.test(value))),
  filename: optional(text(240)),
});
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const readSaying = shape({
  /** Customers of the other channels write by routes of those. */
  channel: optional(oneOf("cloud")),
  text: optional(text()),
  type: optional(text(30)),
  name: optional(text(256)),
  to: optional(text(100)),
  referral: optional(object),
  context: optional(object),
  /** The platform's id of the message that it answers. */
  reply_to: optional(text(512)),
  media: optional(readMedia),
  button: optional(readButton),
  content: optional(object),
  id: optional(text(256)),
  /** Unix seconds. */
  timestamp: optional(integer(0, 10_000_000_000)),
  repeat: optional(integer(1, 10)),
});
type Saying = Settings<typeof readSaying>;
type Envelope = Pick<Saying, "id" | "name" | "timestamp" | "repeat">;

const readReaction = shape({
  message_id: text(512),
  emoji: reader<string>("be an emoji, or empty", (value) => typeof value === "string" && value.length <= 64),
  to: optional(text(100)),
  name: optional(text(256)),
  id: optional(text(256)),
  /** Unix seconds. */
  timestamp: optional(integer(0, 10_000_000_000)),
  repeat: optional(integer(1, 10)),
});

const readPreference = shape({
  value: oneOf("stop", "resume"),
  to: optional(text(100)),
});

/** The people at the other end: what they write, and what they no longer want to get. */
export class Customers {
  private readonly windows = new Windows();
  private readonly optedOut = new RecentMap<true>(remembered);

  constructor(
    private readonly accounts: Accounts,
    private readonly webhooks: Webhooks,
  ) {}

  /** Whether any message may be sent: the customer wrote to this number in the last 24 hours, or needs not. */
  windowIsOpen(sender: Sender, customer: string): boolean {
    return sender.people.has(customer) || this.windows.isOpen(sender.phoneNumberId, customer);
  }

  hasOptedOut(sender: Sender, customer: string): boolean {
    return this.optedOut.has(between(sender, customer));
  }

  /** Answers once the webhook was delivered or its first attempt failed. */
  async say(number: string, input: unknown): Promise<{ id: string; delivered: boolean }> {
    const customer = phoneNumber(number, "number");
    const saying = readSaying(input, "body");
    const sender = this.receiver(saying.to);
    const { type, content } = contentOf(saying);
    const { referral, reply_to: replyTo } = saying;
    const context = replyTo === undefined ? saying.context : { from: sender.displayPhoneNumber, id: replyTo };
    return this.write(sender, customer, saying, { type, [type]: content, referral, context });
  }

  /** As `say`. */
  async react(number: string, input: unknown): Promise<{ id: string; delivered: boolean }> {
    const customer = phoneNumber(number, "number");
    const given = readReaction(input, "body");
    const { message_id, emoji } = given;
    const reaction = { type: "reaction", reaction: { message_id, emoji } };
    return this.write(this.receiver(given.to), customer, given, reaction);
  }

  async prefer(number: string, input: unknown): Promise<{ delivered: boolean }> {
    const customer = phoneNumber(number, "number");
    const { value, to } = readPreference(input, "body");
    const sender = this.receiver(to);
    if (value === "stop") this.optedOut.set(between(sender, customer), true);
    else this.optedOut.delete(between(sender, customer));
    const preference = {
      wa_id: customer,
      detail: `User requested to ${value} marketing messages`,
      category: "marketing_messages",
      value,
      timestamp: Math.floor(Date.now() / 1000),
    };
    return { delivered: await this.tell(sender, customer, "user_preferences", preference) };
  }

  clear(): void {
    this.windows.clear();
    this.optedOut.clear();
  }

  /** Whatever a customer writes opens the window. */
  private async write(
    sender: Sender,
    customer: string,
    { id = `wamid.${randomBytes(24).toString("base64")}`, name, timestamp, repeat }: Envelope,
    content: object,
  ): Promise<{ id: string; delivered: boolean }> {
    const at = timestamp === undefined ? Date.now() : timestamp * 1000;
    this.windows.hear(sender.phoneNumberId, customer, at);
    const message = { from: customer, id, timestamp: String(Math.floor(at / 1000)), ...content };
    return { id, delivered: await this.tell(sender, customer, "messages", message, name, repeat) };
  }

  private tell(
    sender: Sender,
    customer: string,
    field: "messages" | "user_preferences",
    news: object,
    name = `Customer ${customer.slice(-4)}`,
    copies?: number,
  ): Promise<boolean> {
    const contacts = [{ profile: { name }, wa_id: customer }];
    const payload = changesEnvelope([{ sender, field, value: { contacts, [field]: [news] } }]);
    return this.webhooks.deliver(this.webhooks.delivery(payload, copies));
  }

  private receiver(phoneNumberId: string | undefined): Sender {
    const sender = phoneNumberId === undefined ? this.accounts.first() : this.accounts.sender(phoneNumberId);
    if (!sender)
      throw new BadInput(phoneNumberId === undefined ? "there is no account" : "to must be a phone number id");
    return sender;
  }
}

const between = (sender: Sender, customer: string): string => `${sender.phoneNumberId} ${customer}`;

/** The typed part of the message: as given in `content`, or made up where a plain example does. */
function contentOf(saying: Saying): { type: string; content: Fields } {
  if (saying.media) return mediaContent(saying.media, saying.text);
  const { type = saying.button ? "button" : "text", content, button } = saying;
  if (reservedFields.includes(type)) throw new BadInput(`type cannot be ${type}`);
  if (content) return { type, content };
  if (type === "text") {
    if (saying.text === undefined) throw new BadInput("text must be given");
    return { type, content: { body: saying.text } };
  }
  if (type === "button") {
    const pressed = button ?? (saying.text === undefined ? undefined : { text: saying.text, payload: saying.text });
    if (!pressed) throw new BadInput("button must be given");
    return { type, content: pressed };
  }
  const example = examples.get(type);
  if (!example) throw new BadInput(`content must be given for a message of type ${type}`);
  return { type, content: saying.text === undefined ? example : { ...example, caption: saying.text } };
}

/** A file, as the platform tells of it: by an id and its digest. */
function mediaContent(
  { type, mime, base64 = "", filename }: NonNullable<Saying["media"]>,
  caption: string | undefined,
): { type: string; content: Fields } {
  const sha256 = createHash("sha256").update(Buffer.from(base64, "base64")).digest("base64");
  const content = {
    ...{ id: String(randomInt(10 ** 14, 2 ** 48 - 1)), mime_type: mime, sha256 },
    ...(type === "audio" && { voice: mime.startsWith("audio/ogg") }),
    ...(type === "document" && { filename: filename ?? "document" }),
    ...(caption !== undefined && type !== "audio" && type !== "sticker" && { caption }),
  };
  return { type, content };
}

const reservedFields = ["from", "id", "timestamp", "type", "referral", "context"];

const media = (mimeType: string): Fields => ({ id: "1234567890123456", mime_type: mimeType, sha256: "c2FuZGJveA==" });

const examples: ReadonlyMap<string, Fields> = new Map([
  ["image", media("image/jpeg")],
  ["video", media("video/mp4")],
  ["audio", media("audio/ogg; codecs=opus")],
  ["sticker", media("image/webp")],
  ["document", { ...media("application/pdf"), filename: "document.pdf" }],
  ["location", { latitude: -17.7833, longitude: -63.1821 }],
]);
