import { randomBytes } from "node:crypto";
import { type ChannelName, photoChannel } from "../../kernel/channels.ts";
import { RecentMap } from "../core/bounded.ts";
import {
  type CustomerFile,
  messageFields,
  momentOf,
  nameOf,
  reactionFields,
  readButton,
  readMedia,
  readWriting,
} from "../core/customer-input.ts";
import type { Files } from "../core/files.ts";
import {
  BadInput,
  type Fields,
  listOf,
  number,
  object,
  optional,
  type Settings,
  shape,
  text,
  textLike,
  webAddress,
} from "../core/input.ts";
import type { CustomerSide } from "../core/route.ts";
import type { Senders } from "../core/senders.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { Windows } from "../core/windows.ts";
import { eventBetween, messagingDelivery, type Page } from "./pages.ts";

const remembered = 200_000;
/** The id of the platform's own app, in which a business answers by hand. */
const inboxAppId = 263_902_037_430_900;
const stickerId = 369_239_263_222_822;

const readCustomer = textLike(/^[\w.:-]{1,100}$/, "be an id of 1 to 100 letters, digits and .:_-");

const readMessage = shape({
  ...messageFields,
  /** Several files in one message. */
  album: optional(listOf(readMedia, 10)),
  location: optional(shape({ latitude: number, longitude: number, title: optional(text(256)) })),
  quick_reply: optional(text(1_000)),
  button: optional(readButton),
  /** The ad that the customer came from, in the platform's form: `{source, type, ad_id, ref, ads_context_data}`. */
  referral: optional(object),
  /** The story that the message answers. */
  story: optional(shape({ url: webAddress, id: text(100) })),
  /** The id of a message that the customer deletes. */
  unsend: optional(text(512)),
  /** The id of a message whose text the customer replaces with `text`. */
  edit_of: optional(text(512)),
  /** Further fields of the message in the platform's form, for message types that the fields above do not cover. */
  message: optional(object),
});
type CustomerMessage = Settings<typeof readMessage>;

const readReaction = shape(reactionFields);

type Sent = { readonly id?: string; readonly delivered: boolean };

export class PageCustomers {
  readonly windows = new Windows();
  private readonly names = new RecentMap<string>(remembered);

  constructor(
    private readonly pages: Senders<Page>,
    private readonly webhooks: Webhooks,
    private readonly files: Files,
  ) {}

  on(channel: ChannelName): CustomerSide {
    return {
      say: (customer, input) => this.say(channel, customer, input),
      react: (customer, input) => this.react(channel, customer, input),
    };
  }

  /** Reports a message that the business writes to a customer in the platform's own app. */
  async write(pageId: string, to: string, input: unknown): Promise<Sent> {
    const page = this.pages.find(pageId);
    if (!page) throw new BadInput(`there is no ${pageId.slice(0, 100)}`);
    const customer = readCustomer(to, "customer");
    const { text: written, id = newId(), timestamp, repeat: copies } = readWriting(input, "body");
    const app = page.channel === photoChannel ? {} : { app_id: inboxAppId };
    const message = { mid: id, is_echo: true, ...app, text: written };
    const event = eventBetween(pageId, customer, momentOf(timestamp), { message });
    return { id, delivered: await this.deliver(page, event, copies) };
  }

  /** The customer's name; `undefined` if the customer never wrote or reacted to the page. */
  nameOf(page: Page, customer: string): string | undefined {
    if (this.windows.silence(page.pageId, customer) === undefined) return undefined;
    return this.names.get(`${page.pageId} ${customer}`) ?? nameOf(customer);
  }

  reset(): void {
    this.windows.clear();
    this.names.clear();
  }

  private async say(channel: ChannelName, id: string, input: unknown): Promise<Sent> {
    const customer = readCustomer(id, "id");
    const given = readMessage(input, "body");
    const page = this.receiver(channel, given.to);
    const { id: mid = newId(), ...fields } = given;
    const event = this.eventOf(page, fields, mid);
    const isMessage = ("message" in event && fields.unsend === undefined) || "postback" in event;
    return { ...(isMessage && { id: mid }), delivered: await this.act(page, customer, given, event) };
  }

  private async react(channel: ChannelName, id: string, input: unknown): Promise<Sent> {
    const customer = readCustomer(id, "id");
    const given = readReaction(input, "body");
    const { message_id: mid, emoji } = given;
    const what = emoji === "" ? { action: "unreact" } : { action: "react", reaction: wordFor(emoji), emoji };
    const page = this.receiver(channel, given.to);
    return { delivered: await this.act(page, customer, given, { reaction: { mid, ...what } }) };
  }

  /** Every action of a customer begins the 24 hours in which the page may answer freely. */
  private act(
    page: Page,
    customer: string,
    { name, timestamp, repeat: copies }: Pick<CustomerMessage, "name" | "timestamp" | "repeat">,
    event: object,
  ): Promise<boolean> {
    const at = momentOf(timestamp);
    this.windows.record(page.pageId, customer, at);
    if (name !== undefined) this.names.set(`${page.pageId} ${customer}`, name);
    return this.deliver(page, eventBetween(customer, page.pageId, at, event), copies);
  }

  private deliver(page: Page, event: object, copies: number | undefined): Promise<boolean> {
    return this.webhooks.deliver(messagingDelivery(this.webhooks, page.channel, [{ page, event }], copies));
  }

  private eventOf(
    page: Page,
    { button, unsend, edit_of, referral, ...fields }: Omit<CustomerMessage, "id">,
    mid: string,
  ): object {
    if (button) return { postback: { mid, title: button.text, payload: button.payload, referral } };
    if (edit_of !== undefined) return { message_edit: { mid: edit_of, text: fields.text ?? "", num_edit: 1 } };
    if (unsend !== undefined) {
      if (page.channel !== photoChannel) throw new BadInput("unsend is for channel photo");
      return { message: { mid: unsend, is_deleted: true } };
    }
    const attachments = this.attachmentsOf(page, fields);
    const { text: body, message } = fields;
    const isEmpty = body === undefined && attachments === undefined && message === undefined;
    if (isEmpty && referral) return { referral };
    if (isEmpty) throw new BadInput("text must be given");
    return { message: { mid, text: body, attachments, ...contextOf(fields), referral, ...message } };
  }

  private attachmentsOf(
    page: Page,
    { media, album = [], location }: Pick<CustomerMessage, "media" | "album" | "location">,
  ): object[] | undefined {
    const files = media ? [media, ...album] : album;
    if (files.length > 0) return files.map((file) => ({ type: typeOf(file), payload: this.payloadOf(page, file) }));
    if (!location) return undefined;
    const { latitude: lat, longitude: long, title = "Pinned Location" } = location;
    return [{ type: "location", title, payload: { coordinates: { lat, long } } }];
  }

  private payloadOf({ pageId }: Page, { type, mime, bytes, filename }: CustomerFile): Fields {
    const id = this.files.keep({ mime, bytes, filename, owner: pageId });
    return { url: this.files.link(id), ...(type === "sticker" && { sticker_id: stickerId }) };
  }

  private receiver(channel: ChannelName, pageId: string | undefined): Page {
    const page = pageId === undefined ? this.pages.first((each) => each.channel === channel) : this.pages.find(pageId);
    if (page?.channel === channel) return page;
    throw new BadInput(pageId === undefined ? "there is no page of the channel" : "to must be the id of a page");
  }
}

export const newId = (): string => `m_${randomBytes(36).toString("base64url")}`;

const typeOf = ({ type }: CustomerFile): string => (type === "document" ? "file" : type);

const contextOf = ({ reply_to: mid, story, quick_reply: payload }: Omit<CustomerMessage, "id">): object => ({
  ...(mid !== undefined && { reply_to: { mid } }),
  ...(story && { reply_to: { story } }),
  ...(payload !== undefined && { quick_reply: { payload } }),
});

const reactions: Readonly<Record<string, string>> = {
  "❤": "love",
  "😆": "smile",
  "😮": "wow",
  "😢": "sad",
  "😠": "angry",
  "👍": "like",
  "👎": "dislike",
};

/** The platform's word for an emoji, which may have a variation selector. */
const wordFor = (emoji: string): string => reactions[emoji.replace("\ufe0f", "")] ?? "other";
