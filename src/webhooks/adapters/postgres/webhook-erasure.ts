import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";

/** Waits until no events are being copied from the log. `erase` is a separate statement so that it sees the copies. */
const hold = statement("webhook_erase_hold")`
  select 1 from webhook_progress where business_id = $1 order by webhook_id for no key update`;

/** The endpoints' answers are erased, too, because they may repeat what was sent. */
const erase = statement("webhook_erase")`
  with about as materialized (
    select number from webhook_events
    where business_id = $1 and (chat_id = any($3::bigint[]) or contact_id = $2)
    order by number
    for no key update
  ),
  emptied as (
    update webhook_events as event set payload = erased_payload(payload)
    from about where event.business_id = $1 and event.number = about.number
  )
  update webhook_deliveries as delivery set answer = null
  from about
  where delivery.business_id = $1 and delivery.number = about.number and delivery.answer is not null`;

/** Erases a contact's data in the events that are kept for delivery. */
export class PostgresWebhookErasure {
  constructor(private readonly transaction: Queries) {}

  async erase(
    businessId: number,
    { id, chatIds }: { readonly id: number; readonly chatIds: readonly number[] },
  ): Promise<void> {
    await this.transaction.rows(hold, [businessId]);
    await this.transaction.rows(erase, [businessId, id, chatIds]);
  }
}
