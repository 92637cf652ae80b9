import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { KeptWebhook, WebhookQueue } from "../../application/ports.ts";

const attemptsInAll = 10;

const keep: Statement = {
  name: "webhook_keep",
  text: "insert into incoming_webhooks (payload) values ($1)",
};

const claim: Statement = {
  name: "webhook_claim",
  text: `
    select id, payload from incoming_webhooks
    where gave_up_at is null and due_at <= now()
    order by id limit $1
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
    set attempts = attempts + 1, error = left($2, 500),
        due_at = now() + make_interval(secs => 2 ^ attempts),
        gave_up_at = case when attempts + 1 >= ${attemptsInAll} then now() end
    where id = $1`,
};

const purge: Statement = {
  name: "webhook_purge",
  text: `
    delete from incoming_webhooks where id in (
      select id from incoming_webhooks where gave_up_at < now() - make_interval(days => $1) limit 10000)
    returning id`,
};

export class PostgresWebhookQueue implements WebhookQueue {
  constructor(private readonly database: Queries) {}

  async keep(payload: string): Promise<void> {
    await this.database.rows(keep, [payload]);
  }

  claim(limit: number): Promise<KeptWebhook[]> {
    return this.database.rows<KeptWebhook>(claim, [limit]);
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.rows(remove, [ids]);
  }

  async postpone(id: number, error: string): Promise<void> {
    await this.database.rows(postpone, [id, error]);
  }

  async purge(days: number): Promise<number> {
    return (await this.database.rows(purge, [days])).length;
  }
}
