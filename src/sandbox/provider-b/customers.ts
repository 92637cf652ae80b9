import { randomBytes } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import { type CustomerFile, messageFields, momentOf, nameOf, readButton, readMedia } from "../core/customer-input.ts";
import type { Files } from "../core/files.ts";
import { BadInput, degrees, listOf, optional, phoneNumber, type Settings, shape, text, texts } from "../core/input.ts";
import type { CustomerSide } from "../core/route.ts";
import type { Senders } from "../core/senders.ts";
import type { Webhooks } from "../core/webhooks.ts";
import type { Windows } from "../core/windows.ts";
import type { SandboxProviderB } from "../settings.ts";
import { addressOf, callback, type Form } from "./callbacks.ts";

const remembered = 10_000;

const readMessage = shape({
  ...messageFields,
  album: optional(listOf(readMedia, 10)),
  location: optional(
    shape({ lat: degrees(90), lng: degrees(180), address: optional(text(500)), label: optional(text(500)) }),
  ),
  /** The pressed button. It belongs to a template if `reply_to` is given, otherwise to an interactive message. */
  button: optional(readButton),
  list: optional(shape({ id: text(256), title: text(256), description: optional(text(256)) })),
  referral: optional(
    shape({
      source_id: text(100),
      source_url: optional(text(2_000)),
      headline: optional(text(500)),
      body: optional(text(2_000)),
      ctwa_clid: optional(text(500)),
    }),
  ),
  /** Fields to add to the webhook's form. They replace fields of the same name. */
  fields: optional(texts),
});
type CustomerMessage = Settings<typeof readMessage>;

/** The customers. What they write is posted to the account's `webhookUrl`. */
export class ProviderBCustomers implements CustomerSide {
  /** By message id: the phone number of the customer who wrote the message. */
  private readonly authors = new RecentMap<string>(remembered);

  constructor(
    private readonly accounts: Senders<SandboxProviderB>,
    private readonly windows: Windows,
    private readonly webhooks: Webhooks,
    private readonly files: Files,
  ) {}

  /** Resolves after the first attempt to deliver the webhook. Begins the 24 hours in which any answer is allowed. */
  async say(customer: string, input: unknown): Promise<{ id: string; delivered: boolean }> {
    const phone = phoneNumber(customer, "id");
    const given = readMessage(input, "body");
    const account = this.receiver(given.to);
    const id = given.id ?? `${given.media ? "MM" : "SM"}${randomBytes(16).toString("hex")}`;
    this.windows.record(account.phone, phone, momentOf(given.timestamp));
    this.authors.set(id, phone);
    const form = this.formOf(account, phone, id, given);
    const delivery = callback(this.webhooks, account, account.webhookUrl, form, given.repeat);
    return { id, delivered: await this.webhooks.deliver(delivery) };
  }

  async react(): Promise<never> {
    throw new BadInput("customers of ProviderB cannot react: it does not report reactions");
  }

  clear(): void {
    this.authors.clear();
  }

  private formOf(account: SandboxProviderB, phone: string, id: string, given: CustomerMessage): Form {
    const { name = nameOf(phone), reply_to: replyTo, media, album = [] } = given;
    const files = media ? [media, ...album] : album;
    return {
      SmsMessageSid: id,
      ProfileName: name,
      MessageType: typeOf(given),
      SmsSid: id,
      WaId: phone,
      SmsStatus: "received",
      ...bodyOf(given),
      To: addressOf(account.phone),
      NumSegments: "1",
      ReferralNumMedia: "0",
      MessageSid: id,
      AccountSid: account.accountId,
      From: addressOf(phone),
      ApiVersion: "2010-04-01",
      NumMedia: `${files.length}`,
      ...Object.assign({}, ...files.map((file, index) => this.mediaFields(account, id, file, index))),
      ...(replyTo !== undefined && {
        OriginalRepliedMessageSender: addressOf(this.authors.get(replyTo) ?? account.phone),
        OriginalRepliedMessageSid: replyTo,
      }),
      ...referralFields(given.referral),
      ChannelMetadata: JSON.stringify({ type: "whatsapp", data: { context: { ProfileName: name, WaId: phone } } }),
      ...given.fields,
    };
  }

  private mediaFields(
    { accountId }: SandboxProviderB,
    message: string,
    { mime, bytes, filename }: CustomerFile,
    index: number,
  ): Form {
    const media = `ME${randomBytes(16).toString("hex")}`;
    this.files.keep({ mime, bytes, filename, owner: ownerOf(accountId, message) }, media);
    const path = `/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages/${message}/Media/${media}`;
    return { [`MediaUrl${index}`]: `${this.files.origin}${path}`, [`MediaContentType${index}`]: mime };
  }

  private receiver(to: string | undefined): SandboxProviderB {
    const found = this.accounts.first(
      ({ phone, accountId }) => to === undefined || to === accountId || to.replace(/^\+/, "") === phone,
    );
    if (!found) throw new BadInput(to === undefined ? "there is no account" : "to must be an account or its number");
    return found;
  }
}

export const ownerOf = (accountId: string, message: string): string => `${accountId} ${message}`;

function typeOf({ media, location, button, list, reply_to: replyTo }: CustomerMessage): string {
  if (media) return media.mime.split(";")[0] === "text/vcard" ? "contacts" : media.type;
  if (location) return "location";
  if (list) return "interactive";
  if (button) return replyTo === undefined ? "interactive" : "button";
  return "text";
}

function bodyOf({ text: written, media, location, button, list }: CustomerMessage): Form {
  if (location) {
    const { lat, lng, address, label } = location;
    return {
      Body: written ?? "",
      Latitude: `${lat}`,
      Longitude: `${lng}`,
      ...(address !== undefined && { Address: address }),
      ...(label !== undefined && { Label: label }),
    };
  }
  if (button) return { Body: button.text, ButtonText: button.text, ButtonPayload: button.payload };
  if (list) {
    const { id, title, description } = list;
    return { Body: title, ListId: id, ListTitle: title, ...(description && { ListDescription: description }) };
  }
  // `Body` of a document without a caption is its file name.
  if (media) return { Body: written ?? (media.type === "document" ? (media.filename ?? "") : "") };
  if (written === undefined) throw new BadInput("text must be given");
  return { Body: written };
}

function referralFields(referral: CustomerMessage["referral"]): Form {
  if (!referral) return {};
  const { source_id, source_url, headline, body, ctwa_clid } = referral;
  return {
    ReferralSourceType: "ad",
    ReferralSourceId: source_id,
    ...(source_url !== undefined && { ReferralSourceUrl: source_url }),
    ...(headline !== undefined && { ReferralHeadline: headline }),
    ...(body !== undefined && { ReferralBody: body }),
    ...(ctwa_clid !== undefined && { ReferralCtwaClid: ctwa_clid }),
  };
}
