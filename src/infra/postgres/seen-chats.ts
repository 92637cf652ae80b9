/**
 * Whether an agent sees the row `chat`; no agent is one who sees all. The queue is written as the inbox has it. A function
 * of the row would not be found where the tables of a cell have other names.
 */
export const agentSees = (agent: string, chat: string): string =>
  `coalesce(coalesce(${chat}.support_user_id, -${chat}.department_id, 0) = any(queues_seen(${chat}.business_id, ${agent})), true)`;
