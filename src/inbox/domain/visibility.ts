import { domainError } from "../../kernel/errors.ts";

export interface Viewer {
  readonly businessId: number;
  /** Null for an App Key. */
  readonly userId: number | null;
  /** The viewer sees only the chats of this agent's queues. Null for App Keys and administrators, who see all chats. */
  readonly agentId: number | null;
}

/** Which agents see a chat by default: its own agent, else those of the department that it waits for, else all. */
export interface Audience {
  readonly agentId: number | null;
  readonly departmentId: number | null;
}

/**
 * The chat's queue: its agent's user id, else the negative id of the department that it waits for, else 0 for all.
 * The database function `queues_seen` decides which queues an agent sees.
 */
export const queueOf = ({ agentId, departmentId }: Audience): number =>
  agentId ?? (departmentId === null ? 0 : -departmentId);

/** The chat does not exist, or the viewer may not see it. */
export class ChatNotFound extends domainError("chat_not_found") {}

export class MessageNotFound extends domainError("message_not_found") {}
