import type { World } from "./world.ts";

const text = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/**
 * How many statements wait for locks. It is asked outside of transactions: within one, PostgreSQL shows only the
 * connections that were open at the first look.
 */
export const lockWaits = async ({ database }: Pick<World, "database">): Promise<number> =>
  (await database.rows({ name: "", text }, [])).length;
