import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import { sideBySide } from "./cells/side-by-side.ts";
import { type Cells, inBatches } from "./cells.ts";
import { livesHere } from "./lives-here.ts";
import { eventColumns } from "./log-events.ts";
import { statement } from "./statement.ts";

const readAfter = statement("event-log-read")`
  select ${eventColumns} from realtime_events
  where business_id = $1 and number > $2
  order by number limit $3`;

const lastNumbersOf = statement("event-log-last-numbers")`
  select business_id, last_number from realtime_counters where business_id = any($1::bigint[])`;

const purgeBatch = statement("event-log-purge")`
  with purged as (
    delete from realtime_events where (business_id, number) in (
      select business_id, number from realtime_events
      where at < now() - make_interval(hours => $1) and ${livesHere("business_id")} limit $2)
    returning 1)
  select count(*) as count from purged`;

export class PostgresEventLog implements EventLog {
  constructor(private readonly cells: Cells) {}

  read(businessId: number, after: number, limit: number): Promise<LoggedEvent[]> {
    return this.cells.of(businessId).rows<LoggedEvent>(readAfter, [businessId, after, limit]);
  }

  /**
   * The result lacks the businesses of a cell that does not answer; the cell's health check reports the outage. Rejects
   * if no cell answers, and after any other error.
   */
  async lastNumbers(businessIds: readonly number[]): Promise<Map<number, number>> {
    const numbers = await sideBySide(this.cells.groupsOf(businessIds), async ({ cell, businessIds: own }) => {
      const rows = await cell.rows<{ business_id: number; last_number: number }>(lastNumbersOf, [own]);
      const found = new Map(rows.map((row) => [row.business_id, row.last_number]));
      return own.map((id): [number, number] => [id, found.get(id) ?? 0]);
    });
    return new Map(numbers.flat());
  }

  /** Deletes the older events of all businesses. Returns the number of deleted events. */
  purge(olderThanHours: number, signal?: AbortSignal, batch = 5_000): Promise<number> {
    return inBatches(this.cells, { statement: purgeBatch, values: [olderThanHours, batch], batch }, signal);
  }
}
