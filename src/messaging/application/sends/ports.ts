import type { ChannelName, TextLimit } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Refusal, SendOutcome } from "../../domain/platform.ts";
import type { Template } from "../../domain/template.ts";

/** A sender of a business on one channel: a number, a page, a photo account or an instance. */
export interface Sender {
  readonly id: number;
  readonly channel: ChannelName;
  /** The platform's id of the number, page or photo account; the instance's name; or the account at ProviderB. */
  readonly platformId: string;
  /** The platform's id of the account that owns the sender. */
  readonly accountId: string;
  /** The number that customers see, in digits, on channels with phone numbers. */
  readonly phone: string;
  readonly accessToken: string;
}

export interface SenderDirectory {
  /** The business's first sender on the channel; null if it has none. */
  of(businessId: number, channel: ChannelName): Promise<Sender | null>;
  /**
   * The sender to which the customer last wrote in this chat. If there is none on the channel, the business's first
   * sender on the channel; null if the business has no sender there.
   */
  forChat(businessId: number, channel: ChannelName, chatId: number): Promise<Sender | null>;
  /** The business's sender with this id on the platform; null if it has none. */
  find(businessId: number, channel: ChannelName, platformId: string): Promise<Sender | null>;
  /**
   * Stores the sender with its token encrypted. If the business already has it, only the token changes. Rejects with
   * `BusinessNotFound` or `SenderOfAnotherBusiness`.
   */
  add(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender>;
}

export interface StoredSender {
  readonly id: number;
  /** True if the business already had the sender, so that only its token changed. */
  readonly wasThere: boolean;
  /** The sender as the audit shows it: without its token. */
  readonly shown: object;
}

/** A message as a channel gets it. */
export interface ChannelMessage extends MessageContent {
  /** Digits of the phone number, or the recipient's id on channels without numbers. */
  readonly to: string;
  /** Opaque to the platform. Delivery statuses return it on channels that support references. */
  readonly reference: string;
  /** The platform's id of the message that this one replies to. Channels that cannot show a reply ignore it. */
  readonly replyTo?: string;
}

/** The latest customer message that the business has read. */
export interface ReadMessage {
  readonly platformMessageId: string;
  /** The customer's id on the platform. */
  readonly customer: string;
}

/** The fields that identify a template in a message. The platform no longer sends this template. */
export type StoppedTemplate = Pick<NonNullable<MessageContent["template"]>, "name" | "language" | "providerBId">;

/** Called if the platform refused a message because it has stopped the message's template. */
export type OnStoppedTemplate = (
  businessId: number,
  sender: Sender,
  template: StoppedTemplate,
  refusal: Refusal,
) => Promise<void>;

/** Sends messages to customers. */
export interface Channel {
  /** Makes one request at most, without retries. Never rejects: every failure is an outcome. */
  send(sender: Sender, message: ChannelMessage): Promise<SendOutcome>;
  /**
   * Shows the customer that a message was read, on channels that support it. Makes one request at most and never
   * rejects, because a lost read receipt does no harm.
   */
  markRead?(sender: Sender, read: ReadMessage): Promise<void>;
  /**
   * Measures the text as the channel would send it. Returns the channel's limit if the text exceeds it, else null.
   * Absent on channels without a known limit.
   */
  exceeded?(content: MessageContent, channel: ChannelName): TextLimit | null;
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
  /** A chat of the business; or a number, for which a missing contact, chat or conversation is created. */
  readonly thread: { readonly chatId: number } | { readonly phone: string; readonly contactName: string };
  /** Digits of the recipient's number, or the recipient's id on channels without numbers. */
  readonly to: string;
  readonly content: MessageContent;
  readonly templateId?: number;
  readonly author: Author;
  /**
   * The message of the same chat that this one replies to. If the platform does not know that message, only our own
   * clients show the reply.
   */
  readonly replyTo?: { readonly id: number; readonly platformMessageId: string | null };
  /** For reports. */
  readonly categoryId?: number | null;
  /** A date that the caller attaches to the message. */
  readonly datedAt?: Date | null;
  /** True if the conversation stops waiting for an agent when the platform accepts the message. */
  readonly takesConversation?: boolean;
}

/** A message that is stored in its conversation under a lease. Only the process that opened it may send it, once. */
export interface OpenedMessage {
  readonly businessId: number;
  readonly id: number;
  readonly chatId: number;
  readonly attempt: number;
  /** Sent with the message and returned in its delivery statuses. */
  readonly reference: string;
  /** The channel that sends it, which may differ from the chat's. */
  readonly channel: string;
  /** The sender to use; the chat's own sender if absent. */
  readonly sender?: Sender;
  readonly to: string;
  readonly content: MessageContent;
  /** The platform's id of the message that this one replies to. */
  readonly replyTo?: string;
  readonly takesConversation?: boolean;
}

/** Stores outgoing messages and their outcomes. `settle` and `settleExpired` return the events for the new states. */
export interface OutgoingMessages {
  /** Null if the business has no such chat. */
  open(message: NewMessage, channel: ChannelName): Promise<OpenedMessage | null>;
  /**
   * Stores the outcome, unless a delivery status already reported a later state.
   *
   * @param sender - the sender that was used; absent if nothing was sent
   */
  settle(message: OpenedMessage, outcome: SendOutcome, sender?: Sender | null): Promise<LoggedEvent[]>;
  /** Marks up to `limit` messages whose lease has expired as unknown. */
  settleExpired(limit: number): Promise<LoggedEvent[]>;
}

export interface NumberContext {
  readonly businessName: string;
  /** The sending user's name; null if the business sends. */
  readonly userName: string | null;
  /** True if another user has the number's chat, and the sending user may write only into their own chats. */
  readonly isChatOfAnother: boolean;
  readonly preferredLanguage: string;
  /** The business's number at the messaging platform. */
  readonly sender: Sender | null;
  /** Null if the template does not exist or is deleted, or if the user is an agent who may not send it. */
  readonly template: Template | null;
}

/** The data that a send to a chat needs. A field is null if the business does not have that record. */
export interface ChatContext {
  readonly businessName: string;
  readonly timezone: string;
  readonly preferredLanguage: string;
  /** Also null if the user is an agent who may not send this template. */
  readonly template: Template | null;
  /** Null if the chat is not the named contact's, the contact is erased, or the agent `seenBy` may not see the chat. */
  readonly chat: { readonly id: number } | null;
  readonly user: { readonly name: string } | null;
  /**
   * The sender to which the customer last wrote, or the business's first sender on the channel. The channel is
   * ProviderB's for a template of ProviderB and a contact with a number, else the chat's. A sender on the cloud channel
   * always belongs to the account that has the templates.
   */
  readonly sender: Sender | null;
  /** The sender whose account has the templates that the platform approves. */
  readonly cloudSender: Sender | null;
}

export interface NamedInChat {
  readonly templateId: number;
  readonly chatId: number;
  readonly contactId: number;
  readonly userId: number | null;
  /** The agent who must be able to see the chat; null if every chat is allowed. */
  readonly seenBy?: number | null;
}

export interface NamedNumber {
  readonly templateId: number;
  /** Digits only. */
  readonly phone: string;
  readonly userId: number | null;
  /** The user who may not write into chats of other users; null if every chat is allowed. */
  readonly heldTo: number | null;
}

/** Reads the data that a send needs, in one statement. Null if there is no such business. */
export interface SendContexts {
  toNumber(businessId: number, named: NamedNumber): Promise<NumberContext | null>;
  toChat(businessId: number, named: NamedInChat): Promise<ChatContext | null>;
}

export interface ProbedMedia {
  /**
   * Null if the URL was refused, or its host was not reached or did not answer. The cause is kept secret, because it
   * would show which addresses exist in our network.
   */
  readonly status: number | null;
  /** The MIME type that the file's host reports. */
  readonly type?: string;
}

export interface MediaProbe {
  /**
   * Makes a HEAD request to a URL from a business, never into our own network and without following redirects. Rejects
   * with `Busy` if too many requests are under way.
   */
  probe(businessId: number, url: string): Promise<ProbedMedia>;
}

/** Counts the templates that `ChatTemplates` prepares in a business's present month, against the business's limit. */
export interface TemplateUsage {
  /**
   * Counts one more template in the present month and returns this month; null if the limit is reached. The count is
   * exact even if requests run in parallel.
   */
  reserve(businessId: number): Promise<string | null>;
  /** Undoes the count of a template that was not sent. */
  release(businessId: number, month: string): Promise<void>;
}
