/** The condition that an agent sees the row `chat`; a null agent sees all. The queue is computed as in the inbox. */
export const agentSees = (agent: string): string =>
  `coalesce(coalesce(chat.support_user_id, -chat.department_id, 0) = any(queues_seen(chat.business_id, ${agent})), true)`;
