import type { ChatState, ConversationState } from "../domain/conversation.ts";
import type { MessageState } from "../domain/delivery.ts";
import type { FileTrouble } from "../domain/incoming-files.ts";
import type { TicketState } from "../domain/ticket.ts";
import type { Audience } from "../domain/visibility.ts";

/* JSON payloads for clients. Timestamps are text as PostgreSQL writes them, with offset and microseconds. */

export interface NamedView {
  readonly id: number;
  readonly name: string;
}

export interface ContactView extends NamedView {
  readonly phone: string;
  readonly platformId: string;
}

export interface WholeContact extends ContactView {
  readonly optedOut: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly NamedView[];
  readonly createdAt: string;
}

interface Failure {
  readonly errorCode: number | null;
  readonly errorReason: string | null;
}

export interface MessageView extends Failure {
  readonly id: number;
  readonly direction: "in" | "out";
  readonly kind: string;
  readonly body: string;
  readonly mediaUrl: string | null;
  readonly author: "contact" | "business" | "user" | "bot";
  readonly authorName: string;
  readonly state: MessageState;
  readonly occurredAt: string;
  readonly platformMessageId: string | null;
  readonly attachment: AttachmentView | null;
  /** The file that the platform reported with the message; null if none. Events of earlier versions lack the field. */
  readonly file?: FileView | null;
  /** Further data. Its fields depend on `kind` and on the platform. */
  readonly details: object | null;
  /** When the author last edited the text; null if never. Events of earlier versions lack the field. */
  readonly editedAt?: string | null;
  readonly replyToId: number | null;
  /** True if only users of the business see the message, never the customer. */
  readonly internal: boolean;
  readonly reactions: readonly ReactionView[];
}

export interface FileView {
  readonly state: "waiting" | "done" | "gone";
  readonly kind: string;
  /** The file name that the message's author gave; dropped once the file is stored. */
  readonly name: string | null;
  /** Set if the state is `gone`. */
  readonly reason: FileTrouble | null;
}

export interface AttachmentView {
  /** Null only in events of earlier versions. */
  readonly url: string | null;
  readonly kind: string;
  readonly name: string | null;
  readonly bytes: number | null;
}

interface ReactionView {
  readonly author: string;
  readonly emoji: string;
}

/** A row of the inbox. */
export interface ChatView {
  readonly chatId: number;
  readonly contact: ContactView;
  readonly provider: string;
  readonly supportUserId: number | null;
  readonly adId: string | null;
  /** The open conversation, else the last one; null if there never was one. */
  readonly conversationId: number | null;
  readonly state: ChatState;
  readonly botAvailable: boolean;
  /** Null if the chat was never in the inbox, for example when only a campaign wrote to it. */
  readonly lastMessageAt: string | null;
  readonly lastMessage: LastMessageView | null;
  /** The number of customer messages after the last message that a user has read. */
  readonly unread: number;
  /** The channel has a service window. */
  readonly windowed: boolean;
  /** When the window for free text closes; null if it is closed or the channel has none. */
  readonly windowUntil: string | null;
  /** Sorted by id. */
  readonly tags: readonly NamedView[];
  /** The latest open ticket. */
  readonly ticket: TicketView | null;
  readonly version: number;
}

export interface TicketView {
  readonly id: number;
  readonly state: TicketState;
  readonly step: NamedView;
  readonly department: NamedView | null;
}

export type { Audience };

/** Clients do not receive `audience`. */
interface OfChat {
  readonly chatId: number;
  readonly audience: Audience;
}

interface OfTicket extends OfChat, Omit<TicketView, "id"> {
  readonly ticketId: number;
  readonly conversationId: number;
}

/** `was`: who could see the chat before the change; null if the audience did not change. */
type ChangedChat = ChatView & OfChat & { readonly was: Audience | null };

export interface LastMessageView extends Pick<MessageView, "id" | "direction" | "kind" | "authorName"> {
  /** The first 200 characters of the text. */
  readonly preview: string;
  /** Events of earlier versions have neither this nor `internal`. */
  readonly author?: MessageView["author"];
  readonly internal?: boolean;
}

/** A user who attends chats. */
export interface AgentView extends NamedView {
  /** The user's own setting: whether they accept new tickets and chats. */
  readonly available: boolean;
  readonly departmentIds: readonly number[];
  readonly openTickets: number;
}

export interface InboxEvents {
  readonly "message:new": OfChat & {
    readonly conversationId: number;
    readonly contact: ContactView;
    readonly message: MessageView;
  };
  readonly "message:status": OfChat &
    Failure & {
      readonly conversationId: number;
      /** The conversation's state may change too, when an unconfirmed message turns out to be sent. */
      readonly conversationState: ConversationState;
      readonly messageId: number;
      readonly state: MessageState;
    };
  /**
   * Sent when the reactions, file, text, reply target or author's name of a message change, or when the message is
   * withdrawn or erased.
   */
  readonly "message:changed": OfChat & {
    readonly conversationId: number;
    readonly message: MessageView;
  };
  /** The chat moves to the top of the inbox. */
  readonly "inbox:reorder": ChangedChat;
  readonly "chat:changed": ChangedChat;
  readonly "ticket:new": OfTicket & {
    readonly createdAt: string;
    readonly provider: string;
    readonly conversationState: ConversationState;
    readonly contact: ContactView;
    readonly agent: NamedView;
  };
  readonly "ticket:changed": OfTicket & {
    /** Null while the chat has no agent. */
    readonly agent: NamedView | null;
    readonly closedAt: string | null;
  };
  /** `isAgent` is false if the user stopped being an agent. */
  readonly "agent:changed": AgentView & { readonly isAgent: boolean };
  /** Sent to all users of the business. An erased contact has empty texts. */
  readonly "contact:changed": { readonly contact: WholeContact; readonly erased: boolean };
}
