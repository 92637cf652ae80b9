import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { Attempt, ClaimedDelivery, DeliveryQueue, EndpointLease, OpenDelivery } from "../../application/ports.ts";
import { failingDays, isAccepted, jitter, pauses } from "../../domain/deliveries.ts";
import { asyncCommit } from "./async-commit.ts";
import { fanOut } from "./fan-out.ts";

/** In seconds: longer than an attempt, and much longer than the time between two claims. */
const leaseSeconds = 30;
/** In seconds: longer than an attempt. An attempt begins only if the lease still lasts this long. */
const leastLeftSeconds = 20;
/** In seconds. A claim renews the lease only if less time than this is left, so that not every claim writes the row. */
const longLeftSeconds = 28;

/**
 * Whether a delivery is due at the endpoint of the row `progress`. `order by` makes PostgreSQL use the indexes. With
 * `exists`, PostgreSQL would read the deliveries of all endpoints to find that this endpoint has none due.
 */
const isDue = `(
  (select first.number from webhook_deliveries as first
   where first.business_id = progress.business_id and first.webhook_id = progress.webhook_id
     and first.state = 'waiting' and first.failures = 0 and first.round = progress.round
   order by first.number limit 1) is not null
  or (select again.due_at from webhook_deliveries as again
      where again.business_id = progress.business_id and again.webhook_id = progress.webhook_id
        and again.state = 'waiting' and again.failures > 0 and again.round = progress.round
      order by again.due_at limit 1) <= now())`;

const lease = statement("webhook_lease")`
  update webhook_progress as progress
  set lease = free.token, lease_until = now() + interval '${leaseSeconds} seconds'
  from (
    select progress.business_id, progress.webhook_id, gen_random_uuid() as token
    from webhook_progress as progress
    join webhooks as hook on hook.business_id = progress.business_id and hook.id = progress.webhook_id
    where not hook.disabled and (progress.lease_until is null or progress.lease_until < now()) and ${isDue}
      and ${livesHere("progress.business_id")} and ${asyncCommit}
    order by progress.lease_until nulls first, progress.business_id, progress.webhook_id
    limit $1
    for no key update of progress skip locked
  ) as free
  where progress.business_id = free.business_id and progress.webhook_id = free.webhook_id
  returning progress.business_id as "businessId", progress.webhook_id as "webhookId", progress.lease as token`;

const ofLease = "business_id = $1 and webhook_id = $2 and lease = $3::uuid";
const ofEndpoint = "business_id = $1 and webhook_id = $2 and state = 'waiting' and claim is distinct from $3::uuid";

/** Waits for locked rows. If it skipped them, first attempts would no longer be in the order of the events. */
const claim = statement("webhook_delivery_claim")`
  with held as materialized (
    select business_id, webhook_id, lease_until, round from webhook_progress
    where ${ofLease}
      and exists (select 1 from webhooks where business_id = $1 and id = $2 and not disabled) and ${asyncCommit}
    for no key update
  ),
  renewed as (
    update webhook_progress as progress set lease_until = now() + interval '${leaseSeconds} seconds'
    from held
    where progress.business_id = held.business_id and progress.webhook_id = held.webhook_id
      and held.lease_until < now() + interval '${longLeftSeconds} seconds'
  ),
  first as materialized (
    select id from webhook_deliveries
    where ${ofEndpoint} and failures = 0 and round = (select round from held)
    order by number limit $4
    for no key update
  ),
  again as materialized (
    select id from webhook_deliveries
    where ${ofEndpoint} and failures > 0 and due_at <= now() and round = (select round from held)
    order by due_at limit $4
    for no key update
  ),
  claimed as (
    update webhook_deliveries as delivery set claim = $3::uuid
    from (table first union all table again) as chosen
    where delivery.business_id = $1 and delivery.id = chosen.id
    returning delivery.id, delivery.number, delivery.subject, delivery.failures
  )
  select held.webhook_id as held, claimed.id, claimed.subject, claimed.failures
  from held left join claimed on true order by claimed.number`;

const open = statement("webhook_delivery_open")`
  select hook.url, progress.address_number as "addressNumber", hook.secret,
         case when hook.previous_until > now() then hook.previous_secret end as previous,
         event.type, event.name, event.number, event.payload, event.at, event.business_id as "businessId"
  from webhook_deliveries as delivery
  join webhook_progress as progress
    on progress.business_id = delivery.business_id and progress.webhook_id = delivery.webhook_id
  join webhooks as hook on hook.business_id = delivery.business_id and hook.id = delivery.webhook_id
  join webhook_events as event on event.business_id = delivery.business_id and event.number = delivery.number
  where delivery.business_id = $1 and delivery.webhook_id = $2 and delivery.claim = $3::uuid and delivery.id = $4
    and delivery.state = 'waiting' and delivery.round = progress.round and not hook.disabled
    and progress.lease = $3::uuid and progress.lease_until > now() + interval '${leastLeftSeconds} seconds'`;

/**
 * Locks the endpoint's row in `webhook_progress`, but only if `failing_since` has to change. If every result locked the
 * row, the results of one endpoint would wait for each other. The row is locked before the delivery, as in the other
 * statements, to avoid deadlocks. Attempts at an earlier address do not change the row.
 */
const settle = statement("webhook_delivery_settle")`
  with progress as materialized (
    select failing_since, address_number, round, extract(epoch from now())::float8 as seconds,
           1 + random() * ${jitter} as stretch
    from webhook_progress
    where business_id = $1 and webhook_id = $2 and ${asyncCommit}
  ),
  held as materialized (
    select true as is_held, case when $8 then null else now() end as failing_since from webhook_progress
    where business_id = $1 and webhook_id = $2 and address_number = $9 and (failing_since is null) <> $8
    for no key update
  ),
  settled as (
    update webhook_deliveries as delivery
    set attempts = attempts + 1, attempted_at = now(), claim = null, status = $5, answer = $6, error = $7,
        failures = case when $8 then failures else failures + 1 end,
        state = case when $8 then 'delivered'
                     when state = 'failed' or delivery.round < progress.round or failures >= ${pauses.length} or $10
                       then 'failed'
                     else 'waiting' end,
        due_at = to_timestamp(
          progress.seconds + coalesce((array[${pauses.join(", ")}])[failures + 1], 0) * progress.stretch)
    from progress left join held on true
    where delivery.business_id = $1 and delivery.webhook_id = $2 and delivery.claim = $3::uuid and delivery.id = $4
    returning delivery.id
  ),
  told as (
    update webhook_progress as progress set failing_since = held.failing_since
    from held join settled on held.is_held
    where progress.business_id = $1 and progress.webhook_id = $2 and (progress.failing_since is null) <> $8
  )
  select not $8 and progress.address_number = $9
         and progress.failing_since < now() - interval '${failingDays} days' as "isHopeless"
  from progress join settled on true`;

/** `set_config` is in a query of its own, because Citus refuses volatile functions in the condition of an update. */
const release = statement("webhook_release")`
  with settings as materialized (select ${asyncCommit} as is_set)
  update webhook_progress set lease = null, lease_until = null from settings where ${ofLease} and is_set`;

interface OpenRow extends LoggedEvent, Omit<OpenDelivery, "event" | "secrets"> {
  readonly secret: Buffer;
  readonly previous: Buffer | null;
}

type ClaimRow = ClaimedDelivery | { readonly id: null };

/** Compares times with the database's clock only. */
export class PostgresDeliveryQueue implements DeliveryQueue {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  async fanOut(endpoints: number): Promise<number> {
    const rows = await everywhere(this.cells, (cell) => cell.rows<{ endpoints: number }>(fanOut, [endpoints]));
    return rows.reduce((sum, each) => sum + each.endpoints, 0);
  }

  lease(limit: number): Promise<EndpointLease[]> {
    return everywhere(this.cells, (cell) => cell.rows<EndpointLease>(lease, [limit]));
  }

  async claim({ businessId, webhookId, token }: EndpointLease, limit: number): Promise<ClaimedDelivery[] | null> {
    const rows = await this.cells.of(businessId).rows<ClaimRow>(claim, [businessId, webhookId, token, limit]);
    return rows.length === 0 ? null : rows.filter((row): row is ClaimedDelivery => row.id !== null);
  }

  async open({ businessId, webhookId, token }: EndpointLease, deliveryId: number): Promise<OpenDelivery | null> {
    const values = [businessId, webhookId, token, deliveryId];
    const [row] = await this.cells.of(businessId).rows<OpenRow>(open, values);
    if (!row) return null;
    const { url, addressNumber, type, secret, previous, ...event } = row;
    const sealed = previous ? [secret, previous] : [secret];
    return { url, addressNumber, type, event, secrets: sealed.map((each) => this.vault.open(each, businessId)) };
  }

  async settle(
    { businessId, webhookId, token }: EndpointLease,
    deliveryId: number,
    addressNumber: number,
    { status, answer, error, isFinal }: Attempt,
  ): Promise<boolean> {
    const outcome = [status, answer, error, isAccepted(status), addressNumber, isFinal === true];
    const values = [businessId, webhookId, token, deliveryId, ...outcome];
    const [row] = await this.cells.of(businessId).rows<{ isHopeless: boolean }>(settle, values);
    return row?.isHopeless ?? false;
  }

  async release({ businessId, webhookId, token }: EndpointLease): Promise<void> {
    await this.cells.of(businessId).rows(release, [businessId, webhookId, token]);
  }
}
