import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { isOwnTrouble } from "../../../infra/postgres/own-trouble.ts";
import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { KeptWebhook, WebhookCounts, WebhookOrigin, WebhookQueue } from "../../application/ports.ts";

const attemptsInAll = 10;

const keep: Statement = {
  name: "webhook_keep",
  text: `
    insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, owner_sender_id)
    values ($1, $2, $3, $4, $5)`,
};

const claim: Statement = {
  name: "webhook_claim",
  text: `
    select id, payload, platform_id as "platformId", owner_business_id as "businessId", owner_sender_id as "senderId"
    from incoming_webhooks
    where provider = $1 and gave_up_at is null and due_at <= now()
    order by id limit $2
    for update skip locked`,
};

const remove: Statement = {
  name: "webhook_remove",
  text: "delete from incoming_webhooks where id = any($1)",
};

const postpone: Statement = {
  name: "webhook_postpone",
  text: `
    update incoming_webhooks
    set attempts = attempts + $3::int, error = left($2, 500),
        due_at = now() + make_interval(secs => case when $3::int = 1 then 2 ^ attempts else 5 end),
        gave_up_at = case when attempts + $3::int >= ${attemptsInAll} then now() end
    where id = $1`,
};

const counts: Statement = {
  name: "webhook_counts",
  text: `
    select count(*) filter (where gave_up_at is null and due_at <= now()) as due,
           count(*) filter (where gave_up_at is null and due_at > now()) as postponed,
           count(gave_up_at) as "givenUp"
    from (select gave_up_at, due_at from incoming_webhooks limit 100000) as kept`,
};

const retryGivenUp: Statement = {
  name: "webhook_retry",
  text: `
    update incoming_webhooks set attempts = 0, due_at = now(), gave_up_at = null
    where id in (select id from incoming_webhooks where gave_up_at is not null order by id limit 10000)
    returning id`,
};

const purge: Statement = {
  name: "webhook_purge",
  text: `
    delete from incoming_webhooks where id in (
      select id from incoming_webhooks where gave_up_at < now() - make_interval(days => $1) limit 10000)
    returning id`,
};

interface ClaimedRow {
  readonly id: number;
  readonly payload: string;
  readonly platformId: string | null;
  readonly businessId: number | null;
  readonly senderId: number | null;
}

function keptOf({ id, payload, platformId, businessId, senderId }: ClaimedRow): KeptWebhook {
  const owner = businessId === null || senderId === null ? null : { businessId, senderId };
  return { id, payload, about: platformId === null ? null : { platformId, owner } };
}

/** Kept in the directory: the business of a webhook is not known before it is read. */
export class PostgresWebhookQueue implements WebhookQueue {
  constructor(private readonly database: Queries) {}

  async keep(payload: string, { channel, about }: WebhookOrigin): Promise<void> {
    const { platformId = null, owner = null } = about ?? {};
    await this.database.rows(keep, [payload, channel, platformId, owner?.businessId, owner?.senderId]);
  }

  async claim(channel: ChatChannelName, limit: number): Promise<KeptWebhook[]> {
    return (await this.database.rows<ClaimedRow>(claim, [channel, limit])).map(keptOf);
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.rows(remove, [ids]);
  }

  async postpone(id: number, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    await this.database.rows(postpone, [id, message.replaceAll("\0", ""), isOwnTrouble(error) ? 0 : 1]);
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
