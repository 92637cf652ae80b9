import { type Cells, everywhere, inBatches } from "../../../infra/postgres/cells.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { DeliveryCounts, DeliveryUpkeep } from "../../application/ports.ts";
import { keptDays } from "../../domain/deliveries.ts";

/** Whether a delivery waits. The condition is written so that the two indexes of waiting deliveries serve it. */
const waits = "state = 'waiting' and (failures = 0 or failures > 0)";

const tidyAtOnce = 10_000;

/** Leaves locked rows for the next run. Waiting for them with other rows already locked could cause a deadlock. */
const failOfEarlier = statement("webhook_fail_of_earlier")`
  with waiting as materialized (
    select delivery.business_id, delivery.id
    from webhook_progress as progress
    join webhooks as hook on hook.business_id = progress.business_id and hook.id = progress.webhook_id
    join webhook_deliveries as delivery
      on delivery.business_id = progress.business_id and delivery.webhook_id = progress.webhook_id
      and delivery.round < progress.round + hook.disabled::integer
    where ${waits} and ${livesHere("progress.business_id")}
    limit ${tidyAtOnce}
    for no key update of delivery skip locked
  ),
  failed as (
    update webhook_deliveries as delivery set state = 'failed', error = 'disabled', claim = null
    from waiting where delivery.business_id = waiting.business_id and delivery.id = waiting.id
    returning 1
  )
  select count(*)::integer as count from failed`;

const purge = statement("webhook_purge_events")`
  with gone as (
    delete from webhook_events where (business_id, number) in (
      select business_id, number from webhook_events
      where kept_at < now() - interval '${keptDays} days' and ${livesHere("business_id")} order by kept_at limit ${tidyAtOnce})
    returning 1)
  select count(*)::integer as count from gone`;

/** At this number of deliveries, counting stops. */
const mostCounted = 100_000;

const here = livesHere("business_id");

const counts = statement("webhook_delivery_counts")`
  select (
           select count(*) from (select 1 from webhook_deliveries where ${waits} and ${here} limit ${mostCounted}) as few
         )::integer
           as waiting,
         (
           select count(*)
           from (select 1 from webhook_deliveries where state = 'failed' and ${here} limit ${mostCounted}) as few
         )::integer
           as failed,
         (select count(*) from webhooks where disabled and ${here})::integer as disabled,
         coalesce((
           select greatest(0, extract(epoch from now() - min(due_at)))
           from (select due_at from webhook_deliveries where ${waits} and ${here} limit ${mostCounted}) as few), 0)::float
           as oldest`;

export class PostgresDeliveryUpkeep implements DeliveryUpkeep {
  constructor(private readonly cells: Cells) {}

  async tidy(signal?: AbortSignal): Promise<void> {
    await inBatches(this.cells, { statement: failOfEarlier, values: [], batch: tidyAtOnce }, signal);
    await inBatches(this.cells, { statement: purge, values: [], batch: tidyAtOnce }, signal);
  }

  async counts(): Promise<DeliveryCounts> {
    const rows = await everywhere(this.cells, (cell) => cell.rows<DeliveryCounts>(counts, []));
    return rows.reduce((sum, each) => ({
      waiting: sum.waiting + each.waiting,
      failed: sum.failed + each.failed,
      disabled: sum.disabled + each.disabled,
      oldest: Math.max(sum.oldest, each.oldest),
    }));
  }
}
