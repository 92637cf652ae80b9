/** An SQL condition: the agent sees the row `chat`. A null agent sees all chats. The inbox has the same rule. */
export const agentSees = (agent: string): string =>
  `coalesce(coalesce(chat.support_user_id, -chat.department_id, 0) = any(queues_seen(chat.business_id, ${agent})), true)`;
