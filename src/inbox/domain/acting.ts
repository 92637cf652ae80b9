import { templateChannels } from "../../kernel/channels.ts";
import { DomainError } from "../../kernel/errors.ts";
import type { ChatState } from "./conversation.ts";
import type { Viewer } from "./visibility.ts";

/** A user, as those who may know of them are told. */
export interface Holder {
  readonly id: number;
  readonly name: string;
}

/** What decides whether somebody may act on a chat. */
export interface StandingChat {
  readonly chatId: number;
  /** The chat's channel. */
  readonly provider: string;
  readonly state: ChatState;
  /** Whose chat it is. */
  readonly holder: Holder | null;
  /** Whether the viewer may see it as it is; otherwise they could if nobody had it. */
  readonly isVisible: boolean;
  readonly isWindowed: boolean;
  /** Free text may be sent, as far as the window goes. */
  readonly isWindowOpen: boolean;
}

/** Another agent has the chat. */
export class ChatTaken extends DomainError<"chat_taken"> {
  readonly code = "chat_taken";

  constructor(readonly holder: Holder) {
    super(`the chat is with user ${holder.id}`);
  }
}

/** What only a user may do, or only some users. */
export class Forbidden extends DomainError<"forbidden"> {
  readonly code = "forbidden";
}

/** The customer wrote too long ago for free text on this channel. */
export class WindowClosed extends DomainError<"window_closed"> {
  readonly code = "window_closed";

  /** @param hasTemplates - a template still reaches them */
  constructor(readonly hasTemplates: boolean) {
    super("the customer wrote more than 24 hours ago");
  }
}

/** There is no number left to write to. */
export class ContactErased extends DomainError<"contact_erased"> {
  readonly code = "contact_erased";
}

export class AgentNotFound extends DomainError<"agent_not_found"> {
  readonly code = "agent_not_found";
}

export class DepartmentNotFound extends DomainError<"department_not_found"> {
  readonly code = "department_not_found";
}

/** Nothing is left of the quick reply for this contact. */
export class QuickReplyEmpty extends DomainError<"quick_reply_empty"> {
  readonly code = "quick_reply_empty";
}

export class QuickReplyNotFound extends DomainError<"quick_reply_not_found"> {
  readonly code = "quick_reply_not_found";
}

/** For agents: a chat that somebody else has is not theirs to take or to answer. */
export function refuseTaken({ holder }: Pick<StandingChat, "holder">, { agentId }: Pick<Viewer, "agentId">): void {
  if (agentId !== null && holder !== null && holder.id !== agentId) throw new ChatTaken(holder);
}

/** Whether the one who acts is to have the chat afterwards: an agent, in a chat that nobody has in hand. */
export const takesByAnswer = ({ holder, state }: StandingChat, { agentId }: Viewer): boolean =>
  agentId !== null && (holder === null || state !== "in_progress");

/** Whether nobody has the chat and it waits for this department. */
export const waitsFor = (
  { holder, state, audience }: StandingChat & { readonly audience: { readonly departmentId: number | null } },
  departmentId: number,
): boolean => holder === null && state === "pending" && audience.departmentId === departmentId;

/** Nothing is written into the chat of a customer whose data were erased. */
export function refuseErased({
  contactId,
  isErased,
}: {
  readonly contactId: number;
  readonly isErased: boolean;
}): void {
  if (isErased) throw new ContactErased(`contact ${contactId}`);
}

/**
 * A customer whose channel has a window hears only templates once it is over. On a channel that knows no templates they
 * leave as plain text, and are refused as well.
 */
export function refuseOutsideWindow(
  { provider, isWindowed, isWindowOpen }: Pick<StandingChat, "provider" | "isWindowed" | "isWindowOpen">,
  isTemplate: boolean,
): void {
  const hasTemplates = templateChannels.some((channel) => channel === provider);
  if (isWindowed && !isWindowOpen && !(isTemplate && hasTemplates)) throw new WindowClosed(hasTemplates);
}

/** An agent closes what they have and what nobody has; administrators and App Keys close every chat. */
export function refuseClose({ holder }: StandingChat, { agentId }: Viewer): void {
  if (agentId !== null && holder !== null && holder.id !== agentId) throw new Forbidden("another agent has the chat");
}

/** Transfers are for administrators, App Keys and the agent who has the chat. */
export function refuseTransfer({ holder }: StandingChat, { agentId }: Viewer): void {
  if (agentId !== null && holder?.id !== agentId) throw new Forbidden("only who has the chat may transfer it");
}
