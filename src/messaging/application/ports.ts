import type { ChannelName } from "../../kernel/channels.ts";
import type { PlatformTemplate, SendOutcome } from "../domain/platform.ts";
import type { Media, Template } from "../domain/template.ts";

/** What a business sends from on one channel: a number, a page, an instance. */
export interface Sender {
  readonly id: number;
  readonly channel: ChannelName;
  /** The platform's id of it: of the number, the page, the instance, or the account at ProviderB. */
  readonly platformId: string;
  /** The platform's id of the account that owns it. */
  readonly accountId: string;
  /** Digits; what messages show as their origin where the channel goes by phone numbers. */
  readonly phone: string;
  readonly accessToken: string;
}

export interface MessagingPlatform {
  /**
   * The templates of the account that owns the sender, from every page. Rejects with `PlatformUnavailable` when any
   * page cannot be read.
   */
  listTemplates(sender: Sender, filter?: { readonly name?: string }): Promise<PlatformTemplate[]>;
}

export interface SenderDirectory {
  /** What the business sends from on the channel, the first of several; null when it has none there. */
  of(businessId: number, channel: ChannelName): Promise<Sender | null>;
  /**
   * Stores it with its token sealed; of one that the business has already, only the token changes. Rejects with
   * `BusinessNotFound`, and with `SenderTaken` where it is another business's.
   */
  add(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender>;
}

export interface StoredSender {
  readonly id: number;
  /** It has another token now. */
  readonly wasThere: boolean;
}

/** One message in every form that a channel may want it in. */
export interface ChannelMessage {
  /** Digits of the phone number, or the recipient's id on channels without numbers. */
  readonly to: string;
  /** Opaque to the platform; where the channel allows it, it comes back in every delivery status. */
  readonly reference: string;
  /** As the customer reads it, placeholders filled: for channels that know no templates. */
  readonly text: string;
  readonly template?: {
    readonly name: string;
    readonly language: string;
    /** Texts for {{1}}, {{2}}, ... of the body, in order. */
    readonly parameters: readonly string[];
    /** Where the placeholders have names instead, these, in the order of the parameters. */
    readonly parameterNames?: readonly string[];
    /** Its name at ProviderB, where it is registered there. */
    readonly providerBId: string | null;
  };
  readonly media?: Media;
}

/** One way to customers. */
export interface Channel {
  /** Makes exactly one request, never retries, and never rejects: whatever happens is an outcome. */
  send(sender: Sender, message: ChannelMessage): Promise<SendOutcome>;
}

/** What the platform knows under one template name, remembered for a short while. */
export interface KnownTemplates {
  /** Rejects with `PlatformUnavailable`. */
  named(sender: Sender, name: string): Promise<PlatformTemplate[]>;
}

/** A template with everything a list shows. Timestamps in UTC. */
export interface TemplateRecord extends Template {
  readonly buttons: string | null;
  readonly code: string | null;
  readonly allowedAgents: string | null;
  readonly contactVariables: readonly number[] | null;
  readonly articles: string | null;
  readonly businessId: number;
  readonly version: string | null;
  /** The stored flag; older templates have none. */
  readonly createdByAi: boolean | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface TemplateListing {
  /** The language the business prefers for templates that name none. */
  readonly preferredLanguage: string;
  /** `null` when the business has no number at the platform. */
  readonly sender: Sender | null;
  readonly templates: readonly TemplateRecord[];
}

export interface SendContext {
  readonly businessName: string;
  readonly preferredLanguage: string;
  readonly sender: Sender | null;
  /** `null` when there is no such template in the business, or it is deleted. */
  readonly template: Template | null;
}

export interface TemplateCatalog {
  /** The templates that the user may see, by id, at most 6,000; `null` when the business has no such user. */
  listing(businessId: number, userId: number): Promise<TemplateListing | null>;
  /** What a send needs to know; `null` when there is no such business. */
  sendContext(businessId: number, templateId: number): Promise<SendContext | null>;
}

export type MediaProbeOutcome =
  | { readonly kind: "answered"; readonly status: number }
  /** Refused, not reached or silent; the reason never tells which of our own addresses exist. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface MediaProbe {
  /** Asks a customer's URL for its head, never within our own network, following no redirect. Never rejects. */
  probe(url: string): Promise<MediaProbeOutcome>;
}

/** A template message to be entered in the conversation with its recipient. */
export interface OutboxMessage {
  readonly businessId: number;
  readonly phone: string;
  readonly contactName: string;
  readonly body: string;
  readonly mediaUrl?: string;
  readonly templateId: number;
  readonly authorName: string;
}

/** A template message to be entered in a chat that is known, in an agent's name or in that of the business. */
export interface ChatOutboxMessage {
  readonly businessId: number;
  readonly chatId: number;
  readonly to: string;
  /** What it leaves by, which for a template of ProviderB is not the chat's own. */
  readonly channel: ChannelName;
  readonly body: string;
  readonly mediaUrl?: string;
  readonly templateId: number;
  readonly author: "user" | "business";
  readonly authorName: string;
  readonly authorUserId: number | null;
  /** For reports. */
  readonly categoryId: number | null;
  /** A date that the sender ties to the message. */
  readonly datedAt: Date | null;
}

export interface OutboxEntry {
  /** Goes out with the message and comes back in its delivery statuses. */
  readonly reference: string;
  /** Writes down what came of the message and announces it. */
  settle(outcome: SendOutcome): Promise<void>;
}

/** The inbox, as sending needs it. */
export interface Outbox {
  /** Enters the message before it is sent: from here on it is sent at most once, by the caller. */
  open(message: OutboxMessage): Promise<OutboxEntry>;
  /** The same in a chat that is known; once the message is sent, its conversation no longer waits for an agent. */
  openInChat(message: ChatOutboxMessage): Promise<OutboxEntry>;
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

/** What a send to a chat needs to know; what the business does not have is null. */
export interface ChatSendContext {
  readonly businessName: string;
  readonly timezone: string;
  readonly preferredLanguage: string;
  readonly template: Template | null;
  /** The chat, when it is of the contact that was named. */
  readonly chat: { readonly id: number } | null;
  readonly user: { readonly name: string } | null;
  /** What the message leaves from: of ProviderB for its templates, else of the chat's channel. */
  readonly sender: Sender | null;
  /** Whose templates the platform approves. */
  readonly cloudSender: Sender | null;
}

export interface ChatSends {
  /** Null when there is no such business. */
  context(
    businessId: number,
    named: {
      readonly templateId: number;
      readonly chatId: number;
      readonly contactId: number;
      readonly userId: number | null;
    },
  ): Promise<ChatSendContext | null>;
}

/** How many templates agents sent in the month of the business, against its limit. */
export interface TemplateUsage {
  /** Counts one more and returns its month; null when that would be too many. Exact, however many do so at once. */
  reserve(businessId: number): Promise<string | null>;
  /** Takes back one that was not sent. */
  release(businessId: number, month: string): Promise<void>;
}

/** Time, for work that goes by it. */
export interface Timing {
  /** Milliseconds of a clock that never goes back, and goes on while the process is frozen. */
  now(): number;
  /** Resolves early, and does not reject, when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
