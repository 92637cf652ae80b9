import { type TextLimit, templateChannels } from "../../kernel/channels.ts";
import { domainError } from "../../kernel/errors.ts";
import type { ChatState } from "./conversation.ts";
import type { Audience, Viewer } from "./visibility.ts";

/** The user who has a chat, with the name that other users see. */
export interface Holder {
  readonly id: number;
  readonly name: string;
}

/** The facts of a chat that decide whether a viewer may act on it. */
export interface StandingChat {
  readonly chatId: number;
  /** The chat's channel. */
  readonly provider: string;
  readonly state: ChatState;
  readonly holder: Holder | null;
  /** False if the viewer may not see the chat because another user has it. */
  readonly isVisible: boolean;
  readonly isWindowed: boolean;
  /** The customer's last message is recent enough for free text. */
  readonly isWindowOpen: boolean;
}

/** Another agent has the chat. */
export class ChatTaken extends domainError("chat_taken") {
  constructor(readonly holder: Holder) {
    super(`the chat is with user ${holder.id}`);
  }
}

/** The viewer may not do this: their role forbids it, the chat is not theirs, or only users may do it. */
export class Forbidden extends domainError("forbidden") {}

/** The customer's last message is too old for free text on this channel. */
export class WindowClosed extends domainError("window_closed") {
  /** @param hasTemplates - true if the channel has templates, which may still be sent */
  constructor(readonly hasTemplates: boolean) {
    super("the customer wrote more than 24 hours ago");
  }
}

/** The erased contact has no number or id left to send to. */
export class ContactErased extends domainError("contact_erased") {}

/** The message's text is too long for the channel that would send it. */
export class TextTooLong extends domainError("text_too_long") {
  /** @param isTyped - true if the user wrote the text; false if the text comes from a template or a quick reply */
  constructor(
    readonly limit: TextLimit,
    readonly isTyped: boolean,
  ) {
    super(`more than ${limit.length} ${limit.unit}`);
  }
}

export class AgentNotFound extends domainError("agent_not_found") {}
export class DepartmentNotFound extends domainError("department_not_found") {}

/** The quick reply is empty after its placeholders are filled for this contact. */
export class QuickReplyEmpty extends domainError("quick_reply_empty") {}

export class QuickReplyNotFound extends domainError("quick_reply_not_found") {}

/** An agent may neither take nor answer a chat that another user has. */
export function refuseTaken({ holder }: Pick<StandingChat, "holder">, { agentId }: Pick<Viewer, "agentId">): void {
  if (agentId !== null && holder !== null && holder.id !== agentId) throw new ChatTaken(holder);
}

/** True if the viewer is an agent who gets the chat by answering: no user has it, or it is not in progress. */
export const takesByAnswer = ({ holder, state }: StandingChat, { agentId }: Viewer): boolean =>
  agentId !== null && (holder === null || state !== "in_progress");

/** True if no agent has the chat and it is pending for this department. */
export const waitsFor = (
  { holder, state, audience }: StandingChat & { readonly audience: Pick<Audience, "departmentId"> },
  departmentId: number,
): boolean => holder === null && state === "pending" && audience.departmentId === departmentId;

/** The chat of an erased customer accepts no messages or notes, and cannot be taken or transferred. */
export function refuseErased(chat: { readonly contactId: number; readonly isErased: boolean }): void {
  if (chat.isErased) throw new ContactErased(`contact ${chat.contactId}`);
}

/**
 * Outside the window, only templates may be sent. A channel without templates may send nothing, because it sends even a
 * template as plain text.
 */
export function refuseOutsideWindow(
  { provider, isWindowed, isWindowOpen }: Pick<StandingChat, "provider" | "isWindowed" | "isWindowOpen">,
  isTemplate: boolean,
): void {
  const hasTemplates = templateChannels.some((channel) => channel === provider);
  if (isWindowed && !isWindowOpen && !(isTemplate && hasTemplates)) throw new WindowClosed(hasTemplates);
}

/** Agents may close only their own chats and chats without an agent; administrators and App Keys may close any chat. */
export function refuseClose({ holder }: StandingChat, { agentId }: Viewer): void {
  if (agentId !== null && holder !== null && holder.id !== agentId) throw new Forbidden("another agent has the chat");
}

/** Transfers are allowed to administrators, to App Keys and to the agent who has the chat. */
export function refuseTransfer({ holder }: StandingChat, { agentId }: Viewer): void {
  if (agentId !== null && holder?.id !== agentId) throw new Forbidden("only who has the chat may transfer it");
}
