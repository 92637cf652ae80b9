import type { Cells } from "./cells.ts";
import type { Cell, Statement } from "./database.ts";
import { statement } from "./statement.ts";

/** A tenth of the usual sample: enough to know a table's size, at a tenth of the cost. */
const roughly: Statement = { name: "", text: "set local default_statistics_target = 10" };

/** Tables with at most this many changed rows need no new statistics. */
const fewRows = 500;

const grown = statement("grown_tables")`
  select format('%I.%I', stats.schemaname, stats.relname) as name
  from pg_stat_user_tables as stats join pg_class as class on class.oid = stats.relid
  where stats.schemaname = current_schema()
    and stats.n_mod_since_analyze > greatest(class.reltuples, ${fewRows})
  order by stats.relid`;

/**
 * Analyzes tables in which more rows changed than they had at the last analysis. A large campaign fills a table
 * within seconds, but autovacuum checks tables only once a minute. Until then PostgreSQL plans as for an empty table,
 * and the time of a statement grows with the square of its batch.
 */
export class GrownTables {
  constructor(private readonly cells: Cells<Cell>) {}

  async refresh(): Promise<void> {
    await this.cells.inEach(async (cell) => {
      for (const { name } of await cell.rows<{ name: string }>(grown, [])) {
        // A table that another process is analyzing is skipped.
        await cell.transaction(async (transaction) => {
          await transaction.rows(roughly, []);
          await transaction.rows({ name: "", text: `analyze (skip_locked) ${name}` }, []);
        });
      }
    });
  }
}
