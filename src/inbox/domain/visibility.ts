import { domainError } from "../../kernel/errors.ts";

export interface Viewer {
  readonly businessId: number;
  /** Null for an App Key. */
  readonly userId: number | null;
  /** Set if only the chats of this agent's queues are visible; null for App Keys and administrators, who see all. */
  readonly agentId: number | null;
}

/** Decides who may see a chat: its agent, else the agents of the department that it waits for, else every agent. */
export interface Audience {
  readonly agentId: number | null;
  readonly departmentId: number | null;
}

/**
 * The chat's queue: its agent's user id, else minus the id of the department that it waits for, else 0 for every agent.
 * The database function `queues_seen` decides which queues a user sees.
 */
export const queueOf = ({ agentId, departmentId }: Audience): number =>
  agentId ?? (departmentId === null ? 0 : -departmentId);

/** The chat does not exist, or the viewer may not see it. */
export class ChatNotFound extends domainError("chat_not_found") {}

export class MessageNotFound extends domainError("message_not_found") {}
