import { randomBytes } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import type { Files } from "../core/files.ts";
import {
  BadInput,
  type Fields,
  fieldsIn,
  flag,
  isObject,
  object,
  optional,
  phoneNumber,
  type Settings,
  shape,
  text,
} from "../core/input.ts";
import type { CustomerSide } from "../core/route.ts";
import { momentOf, nameOf, reactionFields, sayingFields } from "../core/sayings.ts";
import type { Senders } from "../core/senders.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { contentOf, type QrContent } from "./content.ts";
import { jidOf, type QrNews } from "./news.ts";

const remembered = 10_000;

const readSaying = shape({
  ...sayingFields,
  type: optional(text(50)),
  content: optional(object),
  view_once: optional(flag),
  /** Further fields of the message's context, such as the ad (`externalAdReply`) that the customer came from. */
  context: optional(object),
  /** The id of a message that the customer takes back; the rest of the input is not used then. */
  unsend: optional(text(512)),
  /** The id of a message that the customer gives this text. */
  edit_of: optional(text(512)),
  /** Replaces fields of the key, for groups, statuses and numbers behind `@lid`. */
  key: optional(object),
});
type Saying = Settings<typeof readSaying>;
type Envelope = Pick<Saying, "id" | "name" | "timestamp" | "repeat" | "key">;

const readReaction = shape({ ...reactionFields, key: optional(object) });

/** A message that a reply or a reaction may name. */
interface Known {
  readonly text: string | undefined;
  readonly fromMe: boolean;
  /** Of a file, in the provider's words. */
  readonly mediaType?: string | undefined;
}

type Told = Promise<{ id: string; delivered: boolean }>;

/** The people at the other end, and the owner of the phone who writes from the phone itself. */
export class QrCustomers implements CustomerSide {
  private readonly known = new RecentMap<Known>(remembered);

  constructor(
    private readonly instances: Senders<SandboxQrInstance>,
    private readonly news: QrNews,
    private readonly files: Files,
  ) {}

  /** Answers once the webhook was delivered or its first attempt failed. */
  async say(customer: string, input: unknown): Told {
    const phone = phoneNumber(customer, "id");
    const saying = readSaying(input, "body");
    const sender = this.receiver(saying.to);
    const { unsend: id, repeat, key, edit_of: edited } = saying;
    if (edited !== undefined) return this.edit(sender, edited, saying);
    if (id === undefined) return this.write(sender, phone, saying, false);
    const deleted = { remoteJid: jidOf(phone), fromMe: false, id, ...key };
    return { id, delivered: await this.news.tell(sender, "messages.delete", deleted, repeat) };
  }

  /** Named as the customer's phone knows it: its own message, in the chat with the business. */
  private async edit(sender: SandboxQrInstance, id: string, { text: body = "", timestamp, repeat }: Saying): Told {
    const data = {
      key: { remoteJid: jidOf(sender.phone ?? ""), fromMe: true, id },
      type: "MESSAGE_EDIT",
      editedMessage: { conversation: body },
      timestampMs: `${momentOf(timestamp)}`,
    };
    return { id, delivered: await this.news.tell(sender, "messages.edited", data, repeat) };
  }

  /** As `say`. */
  async react(customer: string, input: unknown): Told {
    const phone = phoneNumber(customer, "id");
    const given = readReaction(input, "body");
    const { message_id: id, emoji } = given;
    const key = { remoteJid: jidOf(phone), fromMe: this.known.get(id)?.fromMe ?? true, id };
    const message = { reactionMessage: { key, text: emoji, senderTimestampMs: `${Date.now()}` } };
    return this.tell(this.receiver(given.to), phone, given, false, { messageType: "reactionMessage", message });
  }

  /** The phone's owner writes to a customer. */
  async writeFromPhone(instance: string, customer: string, input: unknown): Told {
    return this.write(this.receiver(instance), phoneNumber(customer, "customer"), readSaying(input, "body"), true);
  }

  /** A message that the instance was told to send. */
  note(id: string, sent: string | undefined): void {
    this.known.set(id, { text: sent, fromMe: true });
  }

  /** The file of a message, as the provider hands it out; null when there is none. */
  fileOf({ instance }: SandboxQrInstance, id: string): object | null {
    const file = this.files.find(keptAs(id));
    if (file?.owner !== instance) return null;
    const { bytes, mime, filename } = file;
    const { mediaType, text: caption } = this.known.get(id) ?? {};
    const size = { fileLength: `${bytes.length}` };
    return { mediaType, fileName: filename, caption, size, mimetype: mime, base64: bytes.toString("base64") };
  }

  clear(): void {
    this.known.clear();
  }

  private async write(sender: SandboxQrInstance, phone: string, saying: Saying, fromMe: boolean): Told {
    const answered = this.contextOf(saying.reply_to, sender, phone);
    const contextInfo = answered || saying.context ? { ...answered, ...saying.context } : undefined;
    const content = contentOf(saying, contextInfo, sender.wraps === true);
    const id = saying.id ?? newId();
    const { media } = saying;
    this.known.set(id, { text: saying.text, fromMe, mediaType: media && `${media.type}Message` });
    if (!media) return this.tell(sender, phone, { ...saying, id }, fromMe, content);
    const { bytes, mime, filename = `${id}.${mime.replace(/^.*\/|[;+].*$/g, "")}` } = media;
    this.files.keep({ bytes, mime, filename, owner: sender.instance }, keptAs(id));
    // The provider leaves out the file of a message that can be viewed once.
    const carriesFile = this.news.carriesFiles(sender) && saying.view_once !== true;
    const message = { ...content.message, ...(carriesFile && { base64: bytes.toString("base64") }) };
    return this.tell(sender, phone, { ...saying, id }, fromMe, { ...content, message });
  }

  private async tell(
    sender: SandboxQrInstance,
    phone: string,
    { id = newId(), name, timestamp, repeat, key }: Envelope,
    fromMe: boolean,
    { message, messageType, contextInfo }: QrContent,
  ): Told {
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
    return { id, delivered: await this.news.tell(sender, "messages.upsert", data, repeat) };
  }

  private contextOf(replyTo: string | undefined, { phone }: SandboxQrInstance, customer: string): Fields | undefined {
    if (replyTo === undefined) return undefined;
    const answered = this.known.get(replyTo);
    const author = answered?.fromMe === false ? customer : (phone ?? customer);
    return {
      stanzaId: replyTo,
      participant: jidOf(author),
      quotedMessage: { conversation: answered?.text ?? "" },
    };
  }

  private receiver(instance: string | undefined): SandboxQrInstance {
    const found = instance === undefined ? this.instances.first(() => true) : this.instances.find(instance);
    if (!found) throw new BadInput(instance === undefined ? "there is no instance" : "to must be an instance");
    if (found.connected === false) throw new BadInput(`the phone of ${found.instance} is off`);
    return found;
  }
}

const keptAs = (id: string): string => `qr ${id}`;

const newId = (): string => `3A${randomBytes(9).toString("hex").toUpperCase()}`;

/** The id of the message that a client asks the file of. */
export function askedFileIn(body: string): string {
  const { message } = fieldsIn(body) ?? {};
  const key = isObject(message) ? message.key : undefined;
  return isObject(key) && typeof key.id === "string" ? key.id : "";
}
