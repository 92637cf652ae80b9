import type { ChatState, ConversationState } from "../domain/conversation.ts";
import type { MessageState } from "../domain/delivery.ts";
import type { FileTrouble } from "../domain/incoming-files.ts";
import type { TicketState } from "../domain/ticket.ts";

/*
 * The payloads that clients get, as JSON. Timestamps are text as the database writes them into JSON, with its offset
 * and microseconds.
 */

/** Something that clients know by its id and name. */
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
  /** What became of the file that came with the message; null if none did. Events of earlier versions do not have it. */
  readonly file?: FileView | null;
  /** What else the platform said of it, in its own fields. */
  readonly details: object | null;
  /** When its author edited it last. Events of earlier versions do not have it. */
  readonly editedAt?: string | null;
  /** The message that it answers. */
  readonly replyToId: number | null;
  /** Only agents read it. */
  readonly internal: boolean;
  readonly reactions: readonly ReactionView[];
}

export interface FileView {
  readonly state: "waiting" | "done" | "gone";
  readonly kind: string;
  /** What the customer calls it, until it is stored. */
  readonly name: string | null;
  /** Why it is gone. */
  readonly reason: FileTrouble | null;
}

export interface AttachmentView {
  /** Null only in events of earlier versions. */
  readonly url: string | null;
  readonly kind: string;
  readonly name: string | null;
  readonly bytes: number | null;
}

export interface ReactionView {
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
  /** The open conversation, or else the last one; null before there was any. */
  readonly conversationId: number | null;
  readonly state: ChatState;
  readonly botAvailable: boolean;
  /** Null of a chat that was never in the inbox, such as one that only a campaign wrote to. */
  readonly lastMessageAt: string | null;
  readonly lastMessage: LastMessageView | null;
  /** Messages from the customer after the last that anybody of the business read. */
  readonly unread: number;
  /** The channel has a service window. */
  readonly windowed: boolean;
  /** Until when free text may be sent; null when that is over, and where the channel has no window. */
  readonly windowUntil: string | null;
  /** By their ids. */
  readonly tags: readonly NamedView[];
  /** The latest open one. */
  readonly ticket: TicketView | null;
  readonly version: number;
}

export interface TicketView {
  readonly id: number;
  readonly state: TicketState;
  readonly step: NamedView;
  readonly department: NamedView | null;
}

/** Who may see a chat: its agent, and while it has none those of the department that it waits for. */
export interface Audience {
  readonly agentId: number | null;
  readonly departmentId: number | null;
}

/** An event about a chat says for whom it is; clients do not get to see that. */
interface OfChat {
  readonly chatId: number;
  readonly audience: Audience;
}

/** `was`: who could see it before; null where that is the same. */
type ToldChat = ChatView & OfChat & { readonly was: Audience | null };

export interface LastMessageView extends Pick<MessageView, "id" | "direction" | "kind" | "authorName"> {
  /** At most 200 characters of its text. */
  readonly preview: string;
  /** Events of earlier versions have neither this nor `internal`. */
  readonly author?: MessageView["author"];
  readonly internal?: boolean;
}

/** A user who attends chats. */
export interface AgentView extends NamedView {
  /** What they say of themselves. */
  readonly available: boolean;
  readonly departmentIds: readonly number[];
  readonly openTickets: number;
}

/** The payload of each event of the inbox, by the event's name. */
export interface InboxEvents {
  readonly "message:new": OfChat & {
    readonly conversationId: number;
    readonly contact: ContactView;
    readonly message: MessageView;
  };
  readonly "message:status": OfChat &
    Failure & {
      readonly conversationId: number;
      /** A message whose answer was lost takes its conversation only now. */
      readonly conversationState: ConversationState;
      readonly messageId: number;
      readonly state: MessageState;
    };
  /** A reaction came or went, its file is here, or it was erased. */
  readonly "message:changed": OfChat & {
    readonly conversationId: number;
    readonly message: MessageView;
  };
  /** The chat belongs on top. */
  readonly "inbox:reorder": ToldChat;
  readonly "chat:changed": ToldChat;
  readonly "ticket:new": OfChat & {
    readonly ticketId: number;
    readonly state: TicketState;
    readonly createdAt: string;
    readonly conversationId: number;
    readonly provider: string;
    readonly conversationState: ConversationState;
    readonly contact: ContactView;
    readonly step: NamedView;
    readonly department: NamedView | null;
    readonly agent: NamedView;
  };
  readonly "ticket:changed": OfChat & {
    readonly ticketId: number;
    readonly state: TicketState;
    readonly conversationId: number;
    readonly step: NamedView;
    readonly department: NamedView | null;
    /** Nobody has it while nobody has its chat. */
    readonly agent: NamedView | null;
    readonly closedAt: string | null;
  };
  /** `isAgent`: false of one who is no agent any more. */
  readonly "agent:changed": AgentView & { readonly isAgent: boolean };
  /** For all of the business. An erased contact has empty texts. */
  readonly "contact:changed": { readonly contact: WholeContact; readonly erased: boolean };
}
