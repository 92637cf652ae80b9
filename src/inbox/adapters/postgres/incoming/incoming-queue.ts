import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { isDatabaseFailure, isTimeout } from "../../../../infra/postgres/database-failure.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChatChannelName } from "../../../../kernel/channels.ts";
import type {
  ArrivedWebhook,
  ClaimedWebhook,
  ClaimLimit,
  IncomingQueue,
  SenderElsewhere,
  WebhookCounts,
} from "../../../application/incoming/ports.ts";
import type { NamedParties } from "../../../domain/incoming.ts";

const attemptsInAll = 10;

const keep = statement("webhook_keep")`
  insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, owner_sender_id)
  select payload, provider, platform_id, business_id, sender_id
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) with ordinality
    as kept(payload, provider, platform_id, business_id, sender_id, position)
  order by position`;

const claim = statement("webhook_claim")`
  with held as (
    select id, payload, platform_id, owner_business_id, owner_sender_id from incoming_webhooks
    where provider = $1 and gave_up_at is null and due_at <= now()
      and (owner_business_id is null or ${livesHere("owner_business_id")})
    order by id limit $2
    for update skip locked
  ),
  measured as (
    select held.*, sum(octet_length(payload)) over (order by id) - octet_length(payload) as bytes_before from held
  )
  select id, payload, platform_id as "platformId", owner_business_id as "businessId", owner_sender_id as "senderId",
         exists (select 1 from away_businesses) as "isAnyoneElsewhere"
  from measured where bytes_before < $3 order by id`;

/**
 * Finds the named senders whose business is being moved, or was moved, to another cell: the rows of its senders stay in
 * the old cell until they are removed.
 */
const namedElsewhere = statement("webhook_named_elsewhere")`
  select distinct named.id as "webhookId", sender.business_id as "businessId", sender.platform_id as sender
  from jsonb_to_recordset($1::jsonb) as named(id bigint, sender text, account text)
  join senders as sender
    on sender.provider = $2 and (sender.platform_id = named.sender or sender.account_id = named.account)
  where sender.business_id = any(array(select business_id from away_businesses))`;

/** A copy keeps the time of arrival, because an erasure skips payloads that arrived after the erasure. */
const copyFor = statement("webhook_copy_for")`
  insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, received_at)
  select kept.payload, kept.provider, kept.platform_id, owner.business_id, kept.received_at
  from unnest($1::bigint[], $2::bigint[]) as owner(webhook_id, business_id)
  join incoming_webhooks as kept on kept.id = owner.webhook_id and kept.owner_business_id is null
  order by kept.id, owner.business_id`;

const remove = statement("webhook_remove")`delete from incoming_webhooks where id = any($1)`;

const postpone = statement("webhook_postpone")`
  with moment as materialized (select now() as now, extract(epoch from now())::float8 as seconds)
  update incoming_webhooks
  set attempts = attempts + $3::int, error = left($2, 500),
      due_at = to_timestamp(moment.seconds + case when $3::int = 1 then 2 ^ attempts else 5 end),
      gave_up_at = case when attempts + $3::int >= ${attemptsInAll} then moment.now end
  from moment where id = $1`;

const counts = statement("webhook_counts")`
  select count(*) filter (where gave_up_at is null and due_at <= now()) as due,
         count(*) filter (where gave_up_at is null and due_at > now()) as postponed,
         count(gave_up_at) as "givenUp"
  from (select gave_up_at, due_at from incoming_webhooks limit 100000) as kept`;

const retryGivenUp = statement("webhook_retry")`
  update incoming_webhooks set attempts = 0, due_at = now(), gave_up_at = null
  where id in (select id from incoming_webhooks where gave_up_at is not null order by id limit 10000)
  returning id`;

const purge = statement("webhook_purge")`
  delete from incoming_webhooks where id in (
    select id from incoming_webhooks where gave_up_at < now() - make_interval(days => $1) limit 10000)
  returning id`;

const ofAway = statement("webhooks_of_away")`
  select id, owner_business_id as "businessId", payload, provider as channel, platform_id as "platformId",
         owner_sender_id as "senderId", received_at as "receivedAt"
  from incoming_webhooks
  where owner_business_id in (select business_id from away_businesses) and owner_business_id <> all($1::bigint[])
  order by id limit 100`;

const bring = statement("webhook_bring")`
  insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, owner_sender_id, received_at)
  select payload, provider, platform_id, business_id, sender_id, received_at
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[]) with ordinality
    as moved(payload, provider, platform_id, business_id, sender_id, received_at, position)
  order by position`;

interface KeptRow {
  readonly id: number;
  readonly payload: string;
  readonly platformId: string | null;
  readonly businessId: number | null;
  readonly senderId: number | null;
}

/** A stored webhook of a business that is being moved, or was moved, to another cell. */
interface MovingWebhook extends KeptRow {
  readonly businessId: number;
  readonly channel: ChatChannelName;
  readonly receivedAt: Date;
}

/** The kept webhooks of one cell. */
export class PostgresIncomingQueue implements IncomingQueue {
  constructor(private readonly database: Queries) {}

  /**
   * Up to 100 webhooks of businesses that are being moved, or were moved, to another cell. They are not processed here.
   */
  async ofAway(except: Iterable<number>): Promise<readonly MovingWebhook[]> {
    return this.database.rows<MovingWebhook>(ofAway, [plainArray([...except])]);
  }

  /** Stores webhooks from another cell. */
  async bring(webhooks: readonly MovingWebhook[]): Promise<void> {
    await this.database.rows(bring, [
      textArray(webhooks.map(({ payload }) => payload)),
      textArray(webhooks.map(({ channel }) => channel)),
      textArray(webhooks.map(({ platformId }) => platformId)),
      plainArray(webhooks.map(({ businessId }) => businessId)),
      plainArray(webhooks.map(({ senderId }) => senderId)),
      textArray(webhooks.map(({ receivedAt }) => receivedAt.toISOString())),
    ]);
  }

  async keepAll(arrived: readonly ArrivedWebhook[]): Promise<void> {
    await this.database.rows(keep, [
      textArray(arrived.map(({ payload }) => payload)),
      textArray(arrived.map(({ origin }) => origin.channel)),
      textArray(arrived.map(({ origin }) => origin.about?.platformId ?? null)),
      plainArray(arrived.map(({ origin }) => origin.about?.owner?.businessId ?? origin.businessId ?? null)),
      plainArray(arrived.map(({ origin }) => origin.about?.owner?.senderId ?? null)),
    ]);
  }

  async claim(channel: ChatChannelName, { webhooks, bytes }: ClaimLimit): Promise<ClaimedWebhook[]> {
    const values = [channel, webhooks, bytes];
    const rows = await this.database.rows<KeptRow & Pick<ClaimedWebhook, "isAnyoneElsewhere">>(claim, values);
    return rows.map(({ platformId, businessId, senderId, ...webhook }) => {
      const owner = businessId === null || senderId === null ? null : { businessId, senderId };
      return { ...webhook, about: platformId === null ? null : { platformId, owner } };
    });
  }

  async handOver(
    channel: ChatChannelName,
    webhooks: readonly (NamedParties & Pick<ClaimedWebhook, "id">)[],
  ): Promise<readonly SenderElsewhere[]> {
    const named = webhooks.flatMap(({ id, senders, accounts }) => [
      ...senders.map((sender) => ({ id, sender })),
      ...accounts.map((account) => ({ id, account })),
    ]);
    const found = await this.database.rows<SenderElsewhere & { readonly webhookId: number }>(namedElsewhere, [
      JSON.stringify(named),
      channel,
    ]);
    const copies = [...new Map(found.map((one) => [`${one.webhookId} ${one.businessId}`, one])).values()];
    if (copies.length > 0) {
      const [webhooks, businesses] = [copies.map((one) => one.webhookId), copies.map((one) => one.businessId)];
      await this.database.rows(copyFor, [plainArray(webhooks), plainArray(businesses)]);
    }
    return found;
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.rows(remove, [ids]);
  }

  async postpone(id: number, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    // A statement timeout counts as an attempt. Otherwise a webhook that times out each time would be retried for ever.
    const counts = isTimeout(error) || !isDatabaseFailure(error);
    await this.database.rows(postpone, [id, message.replaceAll("\0", ""), counts ? 1 : 0]);
  }

  async counts(): Promise<WebhookCounts> {
    const [row] = await this.database.rows<WebhookCounts>(counts, []);
    return row ?? { due: 0, postponed: 0, givenUp: 0 };
  }

  async retryGivenUp(): Promise<number> {
    return (await this.database.rows(retryGivenUp, [])).length;
  }

  async purge(days: number): Promise<number> {
    return (await this.database.rows(purge, [days])).length;
  }
}
