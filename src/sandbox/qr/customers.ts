import { randomBytes } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import { momentOf, nameOf, reactionFields } from "../core/customer-input.ts";
import type { Files } from "../core/files.ts";
import { BadInput, type Fields, fieldsIn, isObject, object, optional, phoneNumber, shape } from "../core/input.ts";
import type { CustomerSide } from "../core/route.ts";
import type { Senders } from "../core/senders.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { type CustomerMessage, contentOf, type QrContent, readMessage } from "./content.ts";
import { jidOf, type QrWebhooks } from "./qr-webhooks.ts";

const remembered = 10_000;

type Envelope = Pick<CustomerMessage, "id" | "name" | "timestamp" | "repeat" | "key">;

const readReaction = shape({ ...reactionFields, key: optional(object) });

/** A message that a reply or a reaction can refer to. */
interface StoredMessage {
  readonly text: string | undefined;
  readonly fromMe: boolean;
  /** The type of the message's file, in the provider's form. */
  readonly mediaType?: string | undefined;
}

type Sent = Promise<{ id: string; delivered: boolean }>;

/** The customers, and the phone's owner who writes from the phone itself. */
export class QrCustomers implements CustomerSide {
  private readonly messages = new RecentMap<StoredMessage>(remembered);

  constructor(
    private readonly instances: Senders<SandboxQrInstance>,
    private readonly qrWebhooks: QrWebhooks,
    private readonly files: Files,
  ) {}

  /** Resolves after the first attempt to deliver the webhook. */
  async say(customer: string, input: unknown): Sent {
    const phone = phoneNumber(customer, "id");
    const given = readMessage(input, "body");
    const sender = this.receiver(given.to);
    const { unsend: id, repeat, key, edit_of: edited } = given;
    if (edited !== undefined) return this.edit(sender, edited, given);
    if (id === undefined) return this.write(sender, phone, given, false);
    const deleted = { remoteJid: jidOf(phone), fromMe: false, id, ...key };
    return { id, delivered: await this.qrWebhooks.send(sender, "messages.delete", deleted, repeat) };
  }

  /** Sends the message's key as on the customer's phone: `fromMe` is true, `remoteJid` is the business's number. */
  private async edit(
    sender: SandboxQrInstance,
    id: string,
    { text: body = "", timestamp, repeat }: CustomerMessage,
  ): Sent {
    const data = {
      key: { remoteJid: jidOf(sender.phone ?? ""), fromMe: true, id },
      type: "MESSAGE_EDIT",
      editedMessage: { conversation: body },
      timestampMs: `${momentOf(timestamp)}`,
    };
    return { id, delivered: await this.qrWebhooks.send(sender, "messages.edited", data, repeat) };
  }

  /** Resolves like `say`. */
  async react(customer: string, input: unknown): Sent {
    const phone = phoneNumber(customer, "id");
    const given = readReaction(input, "body");
    const { message_id: id, emoji } = given;
    const key = { remoteJid: jidOf(phone), fromMe: this.messages.get(id)?.fromMe ?? true, id };
    const message = { reactionMessage: { key, text: emoji, senderTimestampMs: `${Date.now()}` } };
    return this.deliver(this.receiver(given.to), phone, given, false, { messageType: "reactionMessage", message });
  }

  async writeFromPhone(instance: string, customer: string, input: unknown): Sent {
    return this.write(this.receiver(instance), phoneNumber(customer, "customer"), readMessage(input, "body"), true);
  }

  /** Remembers a message that a client sent through the API. */
  note(id: string, sent: string | undefined): void {
    this.messages.set(id, { text: sent, fromMe: true });
  }

  /** The file of a message, in the provider's form; null if the instance has no such file. */
  fileOf({ instance }: SandboxQrInstance, id: string): object | null {
    const file = this.files.find(keptAs(id));
    if (file?.owner !== instance) return null;
    const { bytes, mime, filename } = file;
    const { mediaType, text: caption } = this.messages.get(id) ?? {};
    const size = { fileLength: `${bytes.length}` };
    return { mediaType, fileName: filename, caption, size, mimetype: mime, base64: bytes.toString("base64") };
  }

  clear(): void {
    this.messages.clear();
  }

  private async write(sender: SandboxQrInstance, phone: string, given: CustomerMessage, fromMe: boolean): Sent {
    const answered = this.contextOf(given.reply_to, sender, phone);
    const contextInfo = answered || given.context ? { ...answered, ...given.context } : undefined;
    const content = contentOf(given, contextInfo, sender.wraps === true);
    const id = given.id ?? newId();
    const { media } = given;
    this.messages.set(id, { text: given.text, fromMe, mediaType: media && `${media.type}Message` });
    if (!media) return this.deliver(sender, phone, { ...given, id }, fromMe, content);
    const { bytes, mime, filename = `${id}.${mime.replace(/^.*\/|[;+].*$/g, "")}` } = media;
    this.files.keep({ bytes, mime, filename, owner: sender.instance }, keptAs(id));
    // The provider leaves out the file of a view-once message.
    const carriesFile = this.qrWebhooks.carriesFiles(sender) && given.view_once !== true;
    const message = { ...content.message, ...(carriesFile && { base64: bytes.toString("base64") }) };
    return this.deliver(sender, phone, { ...given, id }, fromMe, { ...content, message });
  }

  private async deliver(
    sender: SandboxQrInstance,
    phone: string,
    { id = newId(), name, timestamp, repeat, key }: Envelope,
    fromMe: boolean,
    { message, messageType, contextInfo }: QrContent,
  ): Sent {
    const data = {
      key: { remoteJid: jidOf(phone), fromMe, id, ...key },
      pushName: fromMe ? "Você" : (name ?? nameOf(phone)),
      status: fromMe ? "SERVER_ACK" : "DELIVERY_ACK",
      message,
      contextInfo,
      messageType,
      messageTimestamp: Math.floor(momentOf(timestamp) / 1_000),
      instanceId: sender.instance,
      source: "android",
    };
    return { id, delivered: await this.qrWebhooks.send(sender, "messages.upsert", data, repeat) };
  }

  private contextOf(replyTo: string | undefined, { phone }: SandboxQrInstance, customer: string): Fields | undefined {
    if (replyTo === undefined) return undefined;
    const answered = this.messages.get(replyTo);
    const author = answered?.fromMe === false ? customer : (phone ?? customer);
    return {
      stanzaId: replyTo,
      participant: jidOf(author),
      quotedMessage: { conversation: answered?.text ?? "" },
    };
  }

  private receiver(instance: string | undefined): SandboxQrInstance {
    const found = instance === undefined ? this.instances.first() : this.instances.find(instance);
    if (!found) throw new BadInput(instance === undefined ? "there is no instance" : "to must be an instance");
    if (found.connected === false) throw new BadInput(`the phone of ${found.instance} is off`);
    return found;
  }
}

const keptAs = (id: string): string => `qr ${id}`;

const newId = (): string => `3A${randomBytes(9).toString("hex").toUpperCase()}`;

/** The id of the message whose file a client requests. */
export function messageIdIn(body: string): string {
  const { message } = fieldsIn(body) ?? {};
  const key = isObject(message) ? message.key : undefined;
  return isObject(key) && typeof key.id === "string" ? key.id : "";
}
