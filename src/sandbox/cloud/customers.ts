import { createHash } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import {
  type CustomerFile,
  messageFields,
  momentOf,
  nameOf,
  reactionFields,
  readButton,
} from "../core/customer-input.ts";
import {
  BadInput,
  type Fields,
  listOf,
  object,
  oneOf,
  optional,
  phoneNumber,
  reader,
  type Settings,
  shape,
  text,
} from "../core/input.ts";
import type { CustomerSide } from "../core/route.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { Windows } from "../core/windows.ts";
import { type Accounts, changesEnvelope, newMessageId, type Sender } from "./accounts.ts";
import type { Media } from "./media.ts";

const remembered = 200_000;

type Content = Fields | readonly Fields[];
type TypedContent = { readonly type: string; readonly content: Content };
type Sent = Promise<{ readonly id: string; readonly delivered: boolean }>;
const readContent = reader<Content>({ ...listOf(object, 100).json, ...object.json, type: ["array", "object"] });

const readMessage = shape({
  ...messageFields,
  type: optional(text(30)),
  referral: optional(object),
  context: optional(object),
  button: optional(readButton),
  /** A list if the type is `contacts`, otherwise an object. */
  content: optional(readContent),
  /** The id of an earlier message, whose text the customer replaces by `text`. */
  edit_of: optional(text(512)),
});
type CustomerMessage = Settings<typeof readMessage>;
type Envelope = Pick<CustomerMessage, "id" | "name" | "timestamp" | "repeat">;

const readReaction = shape(reactionFields);

const readPreference = shape({
  value: oneOf("stop", "resume"),
  to: optional(text(100)),
});

export class Customers implements CustomerSide {
  private readonly windows = new Windows();
  private readonly optedOut = new RecentMap<true>(remembered);

  constructor(
    private readonly accounts: Accounts,
    private readonly webhooks: Webhooks,
    private readonly media: Media,
  ) {}

  /** Whether messages without a template are allowed: the customer wrote in the last 24 hours, or is in `people`. */
  windowIsOpen(sender: Sender, customer: string): boolean {
    return sender.people.has(customer) || this.windows.isOpen(sender.phoneNumberId, customer);
  }

  hasOptedOut(sender: Sender, customer: string): boolean {
    return this.optedOut.has(between(sender, customer));
  }

  /** Resolves after the first attempt to deliver the webhook. */
  async say(number: string, input: unknown): Sent {
    const customer = phoneNumber(number, "number");
    const given = readMessage(input, "body");
    const sender = this.receiver(given.to);
    const { type, content } = given.media ? this.mediaContent(sender, given.media, given.text) : contentOf(given);
    const { referral, reply_to: replyTo } = given;
    const context = replyTo === undefined ? given.context : { from: sender.displayPhoneNumber, id: replyTo };
    return this.write(sender, customer, given, { type, [type]: content, referral, context });
  }

  /** Resolves like `say`. */
  async react(number: string, input: unknown): Sent {
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
    return { delivered: await this.deliver(sender, customer, "user_preferences", preference) };
  }

  clear(): void {
    this.windows.clear();
    this.optedOut.clear();
  }

  /** A file as webhooks describe it: by an id and a digest. */
  private mediaContent(sender: Sender, media: CustomerFile, caption: string | undefined): TypedContent {
    const { type, mime, bytes, filename } = media;
    const content = {
      id: this.media.keep(sender, media),
      mime_type: mime,
      sha256: createHash("sha256").update(bytes).digest("base64"),
      ...(type === "audio" && { voice: mime.startsWith("audio/ogg") }),
      ...(type === "document" && { filename: filename ?? "document" }),
      ...(caption !== undefined && type !== "audio" && type !== "sticker" && { caption }),
    };
    return { type, content };
  }

  /** Reports a customer's message. It opens the 24 hours in which messages to the customer need no template. */
  private async write(
    sender: Sender,
    customer: string,
    { id = newMessageId(), name, timestamp, repeat }: Envelope,
    content: object,
  ): Sent {
    const at = momentOf(timestamp);
    this.windows.record(sender.phoneNumberId, customer, at);
    const message = { from: customer, id, timestamp: String(Math.floor(at / 1000)), ...content };
    return { id, delivered: await this.deliver(sender, customer, "messages", message, name, repeat) };
  }

  private deliver(
    sender: Sender,
    customer: string,
    field: "messages" | "user_preferences",
    value: object,
    name = nameOf(customer),
    copies?: number,
  ): Promise<boolean> {
    const contacts = [{ profile: { name }, wa_id: customer }];
    const payload = changesEnvelope([{ sender, field, value: { contacts, [field]: [value] } }]);
    return this.webhooks.deliver(this.webhooks.signed("cloud", payload, copies));
  }

  private receiver(phoneNumberId: string | undefined): Sender {
    const { senders } = this.accounts;
    const sender = phoneNumberId === undefined ? senders.first() : senders.find(phoneNumberId);
    if (!sender)
      throw new BadInput(phoneNumberId === undefined ? "there is no account" : "to must be a phone number id");
    return sender;
  }
}

const between = (sender: Sender, customer: string): string => `${sender.phoneNumberId} ${customer}`;

/** The part of the message that depends on its type. Without `content`, other fields or an example are used. */
function contentOf(given: CustomerMessage): TypedContent {
  const { type = given.button ? "button" : "text", content, button, edit_of: original_message_id } = given;
  if (reservedFields.includes(type)) throw new BadInput(`type cannot be ${type}`);
  if (content) return { type, content };
  if (original_message_id !== undefined) {
    const message = { type: "text", text: { body: given.text ?? "" } };
    return { type: "edit", content: { original_message_id, message } };
  }
  if (type === "contacts") return { type, content: card };
  if (type === "text") {
    if (given.text === undefined) throw new BadInput("text must be given");
    return { type, content: { body: given.text } };
  }
  if (type === "button") {
    const pressed = button ?? (given.text === undefined ? undefined : { text: given.text, payload: given.text });
    if (!pressed) throw new BadInput("button must be given");
    return { type, content: pressed };
  }
  const example = examples.get(type);
  if (!example) throw new BadInput(`content must be given for a message of type ${type}`);
  return { type, content: given.text === undefined ? example : { ...example, caption: given.text } };
}

const reservedFields = ["from", "id", "timestamp", "type", "referral", "context"];

const media = (mimeType: string): Fields => ({ id: "1234567890123456", mime_type: mimeType, sha256: "c2FuZGJveA==" });

const card: readonly Fields[] = [
  {
    name: { formatted_name: "Luis Rojas", first_name: "Luis", last_name: "Rojas" },
    phones: [{ phone: "+591 70000099", wa_id: "59170000099", type: "CELL" }],
  },
];

const examples: ReadonlyMap<string, Fields> = new Map([
  ["image", media("image/jpeg")],
  ["video", media("video/mp4")],
  ["audio", media("audio/ogg; codecs=opus")],
  ["sticker", media("image/webp")],
  ["document", { ...media("application/pdf"), filename: "document.pdf" }],
  ["location", { latitude: -17.7833, longitude: -63.1821 }],
]);
