import { DomainError } from "../../kernel/errors.ts";

/** Who asks. */
export interface Viewer {
  readonly businessId: number;
  /** The user; null for an App Key. */
  readonly userId: number | null;
  /** The agent whose view holds; null for those who see all: App Keys and administrators. */
  readonly agentId: number | null;
}

/** Of a chat: who has it, and whose agents it waits for. */
interface Whereabouts {
  readonly agentId: number | null;
  readonly departmentId: number | null;
}

/**
 * The queue in which a chat stands: that of its agent (the user's id), that of the department that it waits for (minus
 * the department's id), or that of all (0). Which queues a user sees is up to the database's function `queues_seen`.
 */
export const queueOf = ({ agentId, departmentId }: Whereabouts): number =>
  agentId ?? (departmentId === null ? 0 : -departmentId);

/** There is no such chat, or the viewer may not see it. */
export class ChatNotFound extends DomainError<"chat_not_found"> {
  readonly code = "chat_not_found";
}

export class MessageNotFound extends DomainError<"message_not_found"> {
  readonly code = "message_not_found";
}
