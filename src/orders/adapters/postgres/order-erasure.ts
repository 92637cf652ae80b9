import type { Queries } from "../../../infra/postgres/database.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { OrderRef } from "../../application/order-events.ts";
import { inactivityReason } from "../../domain/inactivity.ts";
import { PostgresOrderEvents } from "./order-events.ts";

const botsReason = quoted(inactivityReason);

/**
 * The version rises, so that a client that expects an older version cannot write the erased values back. `extra_data`
 * keeps the custom prices, which are part of the total.
 */
const erase = statement("orders_erase")`
  with locked as (
    select id, clock_timestamp() as now from orders
    where business_id = $1 and chat_id = any($2::bigint[])
    order by id for no key update
  ),
  emptied as (
    update orders as o
    set raw_address = null, location_label = null, latitude = null, longitude = null, external_user_id = null,
        cancel_reason = case when o.cancel_reason = ${botsReason} then o.cancel_reason end,
        extra_data = erased_payload(o.extra_data),
        version = o.version + 1, updated_at = locked.now
    from locked
    where o.business_id = $1 and o.id = locked.id
      and (coalesce(o.raw_address, o.location_label, o.latitude::text, o.longitude::text, o.external_user_id) is not null
           or o.cancel_reason <> ${botsReason} or o.extra_data <> erased_payload(o.extra_data))
    returning o.business_id, o.id, o.version, o.updated_at
  ),
  told as (
    insert into order_changes (business_id, order_id, version, action, actor, at, changes)
    select business_id, id, version, 'contact_erased', 'bot', updated_at, '{}' from emptied order by id
  )
  update order_changes as change set changes = erased_payload(change.changes)
  from locked where change.business_id = $1 and change.order_id = locked.id`;

/** Clients get events of at most this many orders. Other orders show the erasure when clients read them. */
const mostTold = 500;

/** The orders that were emptied in this transaction. */
const emptied = statement("orders_erased")`
  select $1::bigint as "businessId", o.id
  from orders as o
  where o.business_id = $1 and o.chat_id = any($2::bigint[]) and o.updated_at >= now()
    and exists (
      select 1 from order_changes as change
      where change.business_id = $1 and change.order_id = o.id and change.version = o.version
        and change.action = 'contact_erased')
  order by o.id desc limit ${mostTold}`;

/**
 * Erases from a contact's orders and their histories the addresses, the external user ids, the reasons that people gave
 * for cancellations, and the picked options of extras. Products and amounts stay.
 */
export class PostgresOrderErasure {
  private readonly events: PostgresOrderEvents;

  constructor(private readonly transaction: Queries) {
    this.events = new PostgresOrderEvents(transaction);
  }

  async erase(businessId: number, { chatIds }: { readonly chatIds: readonly number[] }): Promise<void> {
    await this.transaction.rows(erase, [businessId, chatIds]);
  }

  /** The events show the orders as they are after the erasure. */
  async announce(businessId: number, { chatIds }: { readonly chatIds: readonly number[] }): Promise<LoggedEvent[]> {
    const orders = await this.transaction.rows<OrderRef>(emptied, [businessId, chatIds]);
    if (orders.length === 0) return [];
    return this.events.logChanged(await this.events.read(orders));
  }
}
