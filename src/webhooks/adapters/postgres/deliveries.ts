import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type {
  AskedDeliveries,
  Delivery,
  DeliveryReads,
  ShownWebhook,
  StoredWebhooks,
  WholeDelivery,
} from "../../application/ports.ts";
import { previousSecretHours, replayHours, testType } from "../../domain/deliveries.ts";

const shown = `
  delivery.id, delivery.number, event.type, event.at, delivery.state, delivery.attempts,
  delivery.attempted_at as "attemptedAt", case when delivery.state = 'waiting' then delivery.due_at end as "dueAt",
  delivery.status, delivery.answer, delivery.error`;

const ofWebhook = `
  from webhook_deliveries as delivery
  join webhook_events as event on event.business_id = delivery.business_id and event.number = delivery.number
  where delivery.business_id = $1 and delivery.webhook_id = $2`;

const list = statement("webhook_deliveries_list")`
  select ${shown} ${ofWebhook} and ($3::text is null or delivery.state = $3)
    and ($4::bigint is null or delivery.id < $4)
  order by delivery.id desc limit $5 + 1`;

const find = statement("webhook_deliveries_find")`
  select ${shown}, event.name, event.payload ${ofWebhook} and delivery.id = $3`;

const exists = statement("webhook_exists")`select 1 from webhooks where business_id = $1 and id = $2`;

/** Locks the row with the endpoint's place in the log. Everything that adds deliveries locks this row first. */
const lockProgress = statement("webhook_lock_progress")`
  select 1 from webhook_progress where business_id = $1 and webhook_id = $2 for no key update`;

const lock = statement("webhook_lock")`
  select url, events, description, disabled from webhooks where business_id = $1 and id = $2 for no key update`;

const disable = statement("webhook_disable")`
  update webhooks set disabled = true, record_version = record_version + 1
  where business_id = $1 and id = $2 and exists (
    select 1 from webhook_progress where business_id = $1 and webhook_id = $2 and address_number = $3)
  returning id`;

/**
 * When an endpoint is disabled, at most this many waiting deliveries are marked as failed at once, so that the
 * transaction stays short. A background job marks the others.
 */
const failedAtOnce = 10_000;

/** A delivery that is being attempted keeps its claim, so that the endpoint's answer is still recorded. */
const endRoundOf = statement("webhook_end_round")`
  with ended as (
    update webhook_progress set round = round + 1 where business_id = $1 and webhook_id = $2
  ),
  waiting as materialized (
    select delivery.id from webhook_deliveries as delivery
    where delivery.business_id = $1 and delivery.webhook_id = $2 and delivery.state = 'waiting'
      and (delivery.failures = 0 or delivery.failures > 0)
    limit ${failedAtOnce}
  )
  update webhook_deliveries as delivery set state = 'failed', error = 'disabled'
  from waiting where delivery.business_id = $1 and delivery.id = waiting.id and delivery.state = 'waiting'`;

/**
 * Begins the endpoint's next round, and marks up to `failedAtOnce` of its waiting deliveries as failed. The caller must
 * have locked the endpoint's row in `webhook_progress`.
 */
export async function endRound(transaction: Queries, businessId: number, webhookId: number): Promise<void> {
  await transaction.rows(endRoundOf, [businessId, webhookId]);
}

const rotate = statement("webhook_rotate")`
  update webhooks
  set previous_secret = secret, previous_until = now() + interval '${previousSecretHours} hours', secret = $3
  where business_id = $1 and id = $2 returning previous_until as "previousUntil"`;

const test = statement("webhook_test")`
  with event as (
    insert into webhook_events (business_id, number, name, type, payload, at)
    select $1, -nextval('webhook_test_numbers'), '${testType}', '${testType}', '{}', now()
    returning business_id, number
  )
  insert into webhook_deliveries (business_id, webhook_id, number, subject, round)
  select business_id, webhook_id, number, 'test', round
  from event join webhook_progress using (business_id) where webhook_id = $2
  returning id`;

/** A delivery that is being attempted stays claimed. It is attempted again only if that attempt fails. */
const redeliver = statement("webhook_redeliver")`
  with held as materialized (
    select lease, round from webhook_progress where business_id = $1 and webhook_id = $2 for no key update
  )
  update webhook_deliveries as delivery
  set state = 'waiting', failures = 0, due_at = now(), round = held.round,
      claim = case when claim = held.lease then claim end
  from held
  where delivery.business_id = $1 and delivery.webhook_id = $2 and delivery.id = $3
  returning delivery.id`;

/** Moves the endpoint back in the log, so that it gets all events since the given moment again. */
const replay = statement("webhook_replay")`
  with wanted as (
    select $3::timestamptz as since
    where $3::timestamptz between now() - interval '${replayHours} hours' and now()
  ),
  first as (
    select number - 1 as before from realtime_events, wanted
    where business_id = $1 and at >= since order by number limit 1
  ),
  moved as (
    update webhook_progress set reached = least(reached, first.before)
    from first where business_id = $1 and webhook_id = $2
  )
  select 1 from wanted`;

export class PostgresDeliveryReads implements DeliveryReads {
  constructor(private readonly cells: Cells) {}

  async list(businessId: number, webhookId: number, asked: AskedDeliveries): Promise<Delivery[] | null> {
    const { state, before, limit } = asked;
    const cell = this.cells.of(businessId);
    if ((await cell.rows(exists, [businessId, webhookId])).length === 0) return null;
    return cell.rows<Delivery>(list, [businessId, webhookId, state, before, limit]);
  }

  async find(businessId: number, webhookId: number, deliveryId: number): Promise<WholeDelivery | null> {
    const values = [businessId, webhookId, deliveryId];
    const [row] = await this.cells.of(businessId).rows<Delivery & LoggedEvent>(find, values);
    if (!row) return null;
    const { name, payload, ...delivery } = row;
    return { delivery, event: { businessId, number: delivery.number, name, payload, at: delivery.at } };
  }
}

export class PostgresWebhooks implements StoredWebhooks {
  constructor(private readonly transaction: Queries) {}

  async lock(businessId: number, webhookId: number): Promise<ShownWebhook | null> {
    await this.transaction.rows(lockProgress, [businessId, webhookId]);
    const [row] = await this.transaction.rows<ShownWebhook>(lock, [businessId, webhookId]);
    return row ?? null;
  }

  async disable(businessId: number, webhookId: number, addressNumber: number): Promise<boolean> {
    const isDisabled = (await this.transaction.rows(disable, [businessId, webhookId, addressNumber])).length > 0;
    if (isDisabled) await endRound(this.transaction, businessId, webhookId);
    return isDisabled;
  }

  async rotate(businessId: number, webhookId: number, sealed: Uint8Array): Promise<{ readonly previousUntil: Date }> {
    const values = [businessId, webhookId, sealed];
    const [row] = await this.transaction.rows<{ previousUntil: Date }>(rotate, values);
    if (!row) throw new Error(`webhook ${webhookId} of business ${businessId} is gone while it is locked`);
    return row;
  }

  async test(businessId: number, webhookId: number): Promise<number> {
    const [row] = await this.transaction.rows<{ id: number }>(test, [businessId, webhookId]);
    return row?.id ?? 0;
  }

  async redeliver(businessId: number, webhookId: number, deliveryId: number): Promise<boolean> {
    return (await this.transaction.rows(redeliver, [businessId, webhookId, deliveryId])).length > 0;
  }

  async replay(businessId: number, webhookId: number, since: Date): Promise<boolean> {
    return (await this.transaction.rows(replay, [businessId, webhookId, since])).length > 0;
  }
}
