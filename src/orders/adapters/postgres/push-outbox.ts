import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { eventColumns } from "../../../infra/postgres/log-events.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { PushOutbox } from "../../application/push/ports.ts";

/** A claimed event is due again after 15, then 30, then every 60 seconds. Requests usually end sooner. */
const claim = statement("push_outbox_claim")`
  with due as (
    select business_id, number,
           now() + least(60, 15 * 2 ^ least(attempts, 10)) * interval '1 second' as next_due_at
    from push_outbox where due_at <= now() and ${livesHere("business_id")}
    order by due_at, business_id, number limit $1
    for update skip locked
  ),
  taken as (
    update push_outbox as waiting
    set attempts = waiting.attempts + 1, due_at = due.next_due_at
    from due where waiting.business_id = due.business_id and waiting.number = due.number
    returning waiting.business_id, waiting.number
  )
  select ${eventColumns} from taken join realtime_events using (business_id, number)
  order by business_id, number`;

const remove = statement("push_outbox_remove")`
  delete from push_outbox where (business_id, number) in (select * from unnest($1::bigint[], $2::bigint[]))`;

const forget = statement("push_outbox_forget")`
  with gone as (
    delete from push_outbox where due_at < now() - make_interval(hours => $1) and ${livesHere("business_id")}
    returning 1)
  select count(*) as count from gone`;

export class PostgresPushOutbox implements PushOutbox {
  constructor(private readonly cells: Cells) {}

  claim(limit: number): Promise<LoggedEvent[]> {
    return everywhere(this.cells, (cell) => cell.rows<LoggedEvent>(claim, [limit]));
  }

  async remove(events: readonly Pick<LoggedEvent, "businessId" | "number">[]): Promise<void> {
    const cells = this.cells.groupsOf(events.map(({ businessId }) => businessId));
    const removed = cells.map(({ cell, businessIds }) => {
      const own = events.filter(({ businessId }) => businessIds.includes(businessId));
      return cell.rows(remove, [own.map(({ businessId }) => businessId), own.map(({ number }) => number)]);
    });
    const failed = (await Promise.allSettled(removed)).find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
  }

  async forget(olderThanHours: number): Promise<number> {
    const rows = await everywhere(this.cells, (cell) => cell.rows<{ count: number }>(forget, [olderThanHours]));
    return rows.reduce((sum, { count }) => sum + count, 0);
  }
}
