import { DomainError } from "../../kernel/errors.ts";

/** Which chats agents see, by the business's feature flag `agents_see`: it names one of these. */
export const agentViews = ["own", "department", "all"] as const;
export type AgentView = (typeof agentViews)[number];
/** Where the flag is missing or names none. */
export const usualView: AgentView = "department";

/** Who asks. */
export interface Viewer {
  readonly businessId: number;
  /** The user; null for an App Key. */
  readonly userId: number | null;
  /** The agent whose view holds; null for those who see all: App Keys and administrators. */
  readonly agentId: number | null;
}

/** What an agent sees of the chats of its business. */
export interface Sight {
  readonly agentId: number;
  readonly view: AgentView;
  readonly departmentIds: readonly number[];
}

/** Of a chat: who has it, and whose agents it waits for. */
interface Whereabouts {
  readonly agentId: number | null;
  readonly departmentId: number | null;
}

/** Whether the agent may see the chat. The statements of the inbox follow the same rule. */
export function sees({ agentId, view, departmentIds }: Sight, chat: Whereabouts): boolean {
  if (view === "all" || chat.agentId === agentId) return true;
  if (view === "own" || chat.agentId !== null) return false;
  return chat.departmentId === null || departmentIds.includes(chat.departmentId);
}

/** There is no such chat, or the viewer may not see it. */
export class ChatNotFound extends DomainError<"chat_not_found"> {
  readonly code = "chat_not_found";
}

export class MessageNotFound extends DomainError<"message_not_found"> {
  readonly code = "message_not_found";
}
