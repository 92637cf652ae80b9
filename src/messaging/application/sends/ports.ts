import type { ChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { Template } from "../../domain/template.ts";

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

export interface SenderDirectory {
  /** What the business sends from on the channel, the first of several; null when it has none there. */
  of(businessId: number, channel: ChannelName): Promise<Sender | null>;
  /**
   * Stores it with its token sealed; of one that the business has already, only the token changes. Rejects with
   * `BusinessNotFound`, and with `SenderOfAnotherBusiness` where it is another business's.
   */
  add(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender>;
}

export interface StoredSender {
  readonly id: number;
  /** It has another token now. */
  readonly wasThere: boolean;
  /** As the audit tells of it: without its token. */
  readonly shown: object;
}

/** One message as a channel gets it. */
export interface ChannelMessage extends MessageContent {
  /** Digits of the phone number, or the recipient's id on channels without numbers. */
  readonly to: string;
  /** Opaque to the platform; where the channel allows it, it comes back in every delivery status. */
  readonly reference: string;
  /** The platform's id of the message that it answers; channels that cannot show that leave it out. */
  readonly replyTo?: string;
}

/** One way to customers. */
export interface Channel {
  /** Makes exactly one request, never retries, and never rejects: whatever happens is an outcome. */
  send(sender: Sender, message: ChannelMessage): Promise<SendOutcome>;
  /**
   * Tells the customer that a message was read, where the channel can. Makes at most one request, within the time
   * that a send may take, and never rejects: nothing hangs on whether it gets through.
   */
  markRead?(sender: Sender, platformMessageId: string): Promise<void>;
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

export interface Author {
  readonly kind: "user" | "business";
  readonly name: string;
  readonly userId: number | null;
}

/** A message about to be sent. */
export interface NewMessage {
  readonly businessId: number;
  /** A chat of the business; or a number, for which contact, chat and conversation are made where they are missing. */
  readonly thread: { readonly chatId: number } | { readonly phone: string; readonly contactName: string };
  /** Digits of the number that it goes to, or the recipient's id where it is known by that. */
  readonly to: string;
  readonly content: MessageContent;
  readonly templateId?: number;
  readonly author: Author;
  /** The message of the same chat that it answers; what the platform does not know is shown here alone. */
  readonly replyTo?: { readonly id: number; readonly platformMessageId: string | null };
  /** For reports. */
  readonly categoryId?: number | null;
  /** A date that the sender ties to the message. */
  readonly datedAt?: Date | null;
  /** Once it is sent, its conversation no longer waits for an agent. */
  readonly takesConversation?: boolean;
}

/** A message that is entered in its conversation under a lease: from here on it is sent at most once, by its opener. */
export interface OpenedMessage {
  readonly businessId: number;
  readonly id: number;
  readonly attempt: number;
  /** Goes out with the message and comes back in its delivery statuses. */
  readonly reference: string;
  /** What it leaves by, which need not be its chat's channel. */
  readonly channel: string;
  readonly to: string;
  readonly content: MessageContent;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string;
  readonly takesConversation?: boolean;
}

/** Outgoing messages in their conversations. Every change comes with the events that announce it. */
export interface OutgoingMessages {
  /** Null when the business has no such chat. */
  open(message: NewMessage, channel: ChannelName): Promise<OpenedMessage | null>;
  /** Writes down what came of it, unless a delivery status already told more. */
  settle(message: OpenedMessage, outcome: SendOutcome): Promise<LoggedEvent[]>;
  /** Marks as unknown, at most `limit` at a time, what was under way when its process died. */
  settleExpired(limit: number): Promise<LoggedEvent[]>;
}

export interface NumberContext {
  readonly businessName: string;
  /** Of the user who sends; null where the business does. */
  readonly userName: string | null;
  /** Another user has the number's chat, and the sender is held to their own. */
  readonly isChatOfAnother: boolean;
  readonly preferredLanguage: string;
  /** The business's number at the messaging platform. */
  readonly sender: Sender | null;
  /** Null when there is no such template in the business, it is deleted, or the user is an agent who may not send it. */
  readonly template: Template | null;
}

/** What a send to a chat needs to know; what the business does not have is null. */
export interface ChatContext {
  readonly businessName: string;
  readonly timezone: string;
  readonly preferredLanguage: string;
  /** Null as well where the user is an agent who may not send it. */
  readonly template: Template | null;
  /** The chat, when it is of the contact that was named. */
  readonly chat: { readonly id: number } | null;
  readonly user: { readonly name: string } | null;
  /** What the message leaves from: of ProviderB for its templates, else of the chat's channel. */
  readonly sender: Sender | null;
  /** Whose templates the platform approves. */
  readonly cloudSender: Sender | null;
}

export interface NamedInChat {
  readonly templateId: number;
  readonly chatId: number;
  readonly contactId: number;
  readonly userId: number | null;
  /** The agent who must be able to see the chat; null where all may be named. */
  readonly seenBy?: number | null;
}

export interface NamedNumber {
  readonly templateId: number;
  /** Digits only. */
  readonly phone: string;
  readonly userId: number | null;
  /** The user who may write only where no other one has the chat; null where all may be written to. */
  readonly heldTo: number | null;
}

/** What sends need to know, in one question each; null when there is no such business. */
export interface SendContexts {
  toNumber(businessId: number, named: NamedNumber): Promise<NumberContext | null>;
  toChat(businessId: number, named: NamedInChat): Promise<ChatContext | null>;
}

export type MediaProbeOutcome =
  /** `type`: what the file calls itself, as a MIME type. */
  | { readonly kind: "answered"; readonly status: number; readonly type?: string }
  /** Refused, not reached or silent; the reason never tells which of our own addresses exist. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface MediaProbe {
  /** Asks a customer's URL for its head, never within our own network, following no redirect. Rejects with `Busy` alone. */
  probe(businessId: number, url: string): Promise<MediaProbeOutcome>;
}

/** How many templates agents sent in the month of the business, against its limit. */
export interface TemplateUsage {
  /** Counts one more and returns its month; null when that would be too many. Exact, however many do so at once. */
  reserve(businessId: number): Promise<string | null>;
  /** Takes back one that was not sent. */
  release(businessId: number, month: string): Promise<void>;
}
