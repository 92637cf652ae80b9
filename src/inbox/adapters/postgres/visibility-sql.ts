import { type Part, type Query, sql } from "../../../infra/postgres/dynamic-sql.ts";

/** The queue of the row `chat`, as in `queueOf` of the domain. The indexes by queue use this expression. */
export const queueOfChat = "coalesce(chat.support_user_id, -chat.department_id, 0)";

/**
 * The CTE `viewer(agent_id, queues)`: the queues that an agent sees. `agent_id` is null for administrators and App
 * Keys, who see all; `queues` is null if the viewer sees all queues.
 */
export const viewerOf = (business: string, agent: string): string =>
  `viewer as materialized (${viewerQuery(business, agent)})`;

/** A query with the CTE `viewer`. */
export const viewerWith = (business: Part, agent: Part): Query =>
  sql.queryBuilder().withMaterialized("viewer", sql.raw(viewerQuery("?", "?"), [agent, business, agent]));

const viewerQuery = (business: string, agent: string): string =>
  `select ${agent} as agent_id, queues_seen(${business}, ${agent}) as queues`;

const queues = "(select queues from viewer)::bigint[]";

export const seesAll = "(select queues is null from viewer)";

/** True if the viewer sees this queue. */
const sees = (queue: string): string => `(${seesAll} or ${queue} = any(${queues}))`;

/** True if the viewer may see the row `chat`. */
export const isVisible = sees(queueOfChat);

/** True if the viewer sees the row `chat`, or would see it if the chat had no agent. */
export const isWithinReach = `(${isVisible} or ${sees("coalesce(-chat.department_id, 0)")})`;

/** A query for the viewer's queues; only for agents who do not see all. */
export const queuesSeen = `select unnest(${queues}) as queue`;

/** A query for the queues of the array `asked` that the viewer sees. */
export const queuesSeenAmong = (asked: string): string => `
  select each.queue from unnest(${asked}) as each(queue) where ${sees("each.queue")}`;
