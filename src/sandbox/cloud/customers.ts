import { randomBytes } from "node:crypto";
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

const readSaying = shape({
  text: optional(text()),
  type: optional(text(30)),
  name: optional(text(256)),
  to: optional(text(100)),
  referral: optional(object),
  context: optional(object),
  button: optional(readButton),
  content: optional(object),
  id: optional(text(256)),
  /** Unix seconds. */
  timestamp: optional(integer(0, 10_000_000_000)),
  repeat: optional(integer(1, 10)),
});
type Saying = Settings<typeof readSaying>;

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
    const { id = `wamid.${randomBytes(24).toString("base64")}`, name, referral, context, repeat } = saying;
    const at = saying.timestamp === undefined ? Date.now() : saying.timestamp * 1000;
    this.windows.hear(sender.phoneNumberId, customer, at);
    const timestamp = String(Math.floor(at / 1000));
    const message = { from: customer, id, timestamp, type, [type]: content, referral, context };
    return { id, delivered: await this.tell(sender, customer, "messages", message, name, repeat) };
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
