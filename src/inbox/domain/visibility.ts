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

/** There is no such chat, or the viewer may not see it. */
export class ChatNotFound extends DomainError<"chat_not_found"> {
  readonly code = "chat_not_found";
}

export class MessageNotFound extends DomainError<"message_not_found"> {
  readonly code = "message_not_found";
}
