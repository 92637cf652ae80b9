import { type Cells, firstEverywhere } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { AbandonedOrder, AbandonedOrders, Inactivity } from "../../application/inactivity/ports.ts";
import type { OrderRef } from "../../application/order-events.ts";
import { defaultIdleMinutes, inactivityReason } from "../../domain/inactivity.ts";
import { openStatuses, statusOf } from "../../domain/states.ts";

/** Ten years. Much longer times would exceed the range of a timestamp. */
const longestIdleMinutes = 10 * 366 * 24 * 60;

/**
 * The flag is a whole number of minutes, at least 1, as a number or as text; for any other value the default applies.
 * Only the first nine digits are read, because they always fit an `integer`. Every number of nine or more
 * digits stands for the longest time anyway.
 */
const idleTime = `
  make_interval(mins => case when business.feature_flags->>'bot_inactivity_minutes' ~ '^[1-9][0-9]*$'
                             then least(left(business.feature_flags->>'bot_inactivity_minutes', 9)::integer, ${longestIdleMinutes})
                             else ${defaultIdleMinutes} end)`;

/** Selects the abandoned orders among those that meet `condition`. */
const abandoned = (condition: string): string => `
  from orders as o
  join businesses as business on business.id = o.business_id
  cross join lateral (select now() - ${idleTime} as since) as idle
  join conversations as conversation
    on conversation.business_id = o.business_id and conversation.chat_id = o.chat_id
       and conversation.closed_at is null and conversation.state = 'bot'
  join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
  where o.status in (${openStatuses.join(", ")}) and o.paid is not true and ${condition}
    and greatest(o.created_at, o.reopened_at) <= idle.since
    and (chat.last_inbound_at is null or chat.last_inbound_at <= idle.since)`;

const next = statement("orders_next_abandoned")`
  select o.business_id as "businessId", o.id, o.created_at::text as "createdAt"
  ${abandoned(`(o.business_id, o.created_at, o.id) > ($1, $2::timestamptz, $3) and ${livesHere("o.business_id")}`)}
  order by o.business_id, o.created_at, o.id
  limit $4`;

/**
 * Locks orders with their conversations and chats, and skips rows that other transactions have locked. PostgreSQL
 * checks the conditions again on rows that changed before they were locked. Storing a customer's message updates the
 * chat. Therefore this statement sees stored messages, skips an order while a message is being stored, and makes later
 * messages wait. The statement waits only for the business's order counters, which are updated by triggers. It cancels
 * orders of one business only, so that this wait affects no other business.
 */
const cancel = statement("orders_cancel_abandoned")`
  with abandoned as materialized (
    select o.business_id, o.id, o.status, o.cancel_reason, clock_timestamp() as now
    ${abandoned("o.business_id = $1 and o.id = any ($2::bigint[])")}
    for no key update of o skip locked
    for share of conversation, chat skip locked
  ),
  cancelled as (
    update orders as o
    set status = ${statusOf.cancelled}, cancel_reason = $3, version = o.version + 1,
        updated_at = abandoned.now
    from abandoned
    where o.business_id = abandoned.business_id and o.id = abandoned.id
    returning o.business_id, o.id, o.version, o.created_at, o.updated_at, o.status, o.cancel_reason,
              abandoned.status as status_before, abandoned.cancel_reason as reason_before
  ),
  noted as (
    insert into order_changes (business_id, order_id, version, action, actor, at, changes)
    select business_id, id, version, 'cancelled', 'bot', updated_at, jsonb_build_object(
             'status', jsonb_build_object('from', status_before, 'to', status),
             'cancelReason', jsonb_build_object('from', reason_before, 'to', cancel_reason))
    from cancelled
  )
  select business_id as "businessId", id from cancelled order by created_at, id`;

const beginning: AbandonedOrder = { businessId: 0, id: 0, createdAt: "-infinity" };

export class PostgresAbandonedOrders implements AbandonedOrders {
  constructor(private readonly cells: Cells) {}

  next(after: AbandonedOrder | null, limit: number): Promise<AbandonedOrder[]> {
    const { businessId, createdAt, id } = after ?? beginning;
    return firstEverywhere(this.cells, limit, (cell) =>
      cell.rows<AbandonedOrder>(next, [businessId, createdAt, id, limit]),
    );
  }
}

export class PostgresInactivity implements Inactivity {
  constructor(private readonly transaction: Queries) {}

  cancel(businessId: number, orderIds: readonly number[]): Promise<OrderRef[]> {
    return this.transaction.rows<OrderRef>(cancel, [businessId, orderIds, inactivityReason]);
  }
}
