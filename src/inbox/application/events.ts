import type { ConversationState } from "../domain/conversation.ts";
import type { MessageState } from "../domain/delivery.ts";
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
}

/** A row of the inbox. */
export interface ChatView {
  readonly chatId: number;
  readonly contact: ContactView;
  readonly provider: string;
  readonly supportUserId: number | null;
  readonly adId: string | null;
  readonly conversationId: number;
  readonly conversationState: ConversationState;
  readonly lastMessageAt: string;
  readonly lastMessage: LastMessageView;
}

export interface LastMessageView extends Pick<MessageView, "id" | "direction" | "kind" | "authorName"> {
  /** At most 200 characters of its text. */
  readonly preview: string;
}

/** The payload of each event of the inbox, by the event's name. */
export interface InboxEvents {
  readonly "message:new": {
    readonly chatId: number;
    readonly conversationId: number;
    readonly contact: ContactView;
    readonly message: MessageView;
  };
  readonly "message:status": Failure & {
    readonly chatId: number;
    readonly conversationId: number;
    /** A message whose answer was lost takes its conversation only now. */
    readonly conversationState: ConversationState;
    readonly messageId: number;
    readonly state: MessageState;
  };
  /** The chat belongs on top. */
  readonly "inbox:reorder": ChatView;
  readonly "ticket:new": {
    readonly ticketId: number;
    readonly state: TicketState;
    readonly createdAt: string;
    readonly chatId: number;
    readonly conversationId: number;
    readonly provider: string;
    readonly conversationState: ConversationState;
    readonly contact: ContactView;
    readonly step: NamedView;
    readonly department: NamedView | null;
    readonly agent: NamedView;
  };
}
