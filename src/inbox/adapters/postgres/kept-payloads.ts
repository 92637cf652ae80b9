import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { KeptPayload, KeptPayloads, SoughtPayloads } from "../../application/contacts/ports.ts";

/** Bytes per batch of payloads. The payload that exceeds it is included, because one may hold a large file. */
const mostBytes = 16 * 1024 * 1024;

const holding: Statement = {
  name: "webhooks_holding",
  text: `
    with found as (
      select id, octet_length(payload) as size from incoming_webhooks
      where id > $2 and provider = any($5::text[]) and received_at <= coalesce($4::timestamptz, 'infinity')
        and exists (select from unnest($1::text[]) as sought where strpos(payload, sought) > 0)
      order by id limit $3
    ),
    sized as (select id, sum(size) over (order by id) - size as before from found)
    select webhook.id, webhook.provider as channel, webhook.payload
    from sized join incoming_webhooks as webhook on webhook.id = sized.id
    where sized.before < ${mostBytes}
    order by webhook.id`,
};

/** Waits for the row's lock while a worker handles the payload. */
const replace: Statement = {
  name: "webhook_replace",
  text: "update incoming_webhooks set payload = $3, error = null where id = $1 and payload = $2 returning id",
};

const remove: Statement = {
  name: "webhook_remove_unchanged",
  text: "delete from incoming_webhooks where id = $1 and payload = $2 returning id",
};

export class PostgresKeptPayloads implements KeptPayloads {
  constructor(private readonly database: Queries) {}

  holding({ texts, channels, until }: SoughtPayloads, after: number, limit: number): Promise<KeptPayload[]> {
    return this.database.rows<KeptPayload>(holding, [texts, after, limit, until, channels]);
  }

  async replace(id: number, before: string, after: string | null): Promise<boolean> {
    const values = after === null ? [id, before] : [id, before, after];
    return (await this.database.rows(after === null ? remove : replace, values)).length > 0;
  }
}
