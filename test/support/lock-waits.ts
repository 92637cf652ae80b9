import type { World } from "./world.ts";

const text = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/**
 * The number of statements that wait for locks. The query runs outside of transactions: within a transaction,
 * PostgreSQL shows only the connections that were open when the view was first read.
 */
export const lockWaits = async ({ database }: Pick<World, "database">): Promise<number> =>
  (await database.rows({ name: "", text }, [])).length;
