import type { Cells } from "./cells.ts";
import type { Cell, Statement } from "./database.ts";

/** A tenth of the usual sample tells how large a table is, at a tenth of the cost. */
const roughly: Statement = { name: "", text: "set local default_statistics_target = 10" };

/** Below this any plan is a good one. */
const fewRows = 500;

const grown: Statement = {
  name: "grown_tables",
  text: `
    select format('%I.%I', stats.schemaname, stats.relname) as name
    from pg_stat_user_tables as stats join pg_class as class on class.oid = stats.relid
    where stats.schemaname = current_schema()
      and stats.n_mod_since_analyze > greatest(class.reltuples, ${fewRows})
    order by stats.relid`,
};

/**
 * Tells the planner of tables of which it knows next to nothing: more has changed in them than they held when it last
 * looked. A large campaign does that within seconds, in which statements planned for tables of no rows take the square
 * of a batch; PostgreSQL's own look comes once a minute.
 */
export class GrownTables {
  constructor(private readonly cells: Cells<Cell>) {}

  async refresh(): Promise<void> {
    await this.cells.inEach(async (cell) => {
      for (const { name } of await cell.rows<{ name: string }>(grown, [])) {
        // Whoever analyzes it already does it for us too.
        await cell.transaction(async (transaction) => {
          await transaction.rows(roughly, []);
          await transaction.rows({ name: "", text: `analyze (skip_locked) ${name}` }, []);
        });
      }
    });
  }
}
