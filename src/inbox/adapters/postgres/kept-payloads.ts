import type { Cells } from "../../../infra/postgres/cells.ts";
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
        and exists (select 1 from unnest($1::text[]) as sought where strpos(payload, sought) > 0)
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

/** More than a queue ever gives ids. */
const idsOfOne = 2 ** 40;

/**
 * A payload may concern several businesses, so all cells are looked through, one after the other. An id tells the cell,
 * too.
 */
export class PostgresKeptPayloads implements KeptPayloads {
  private readonly queues: readonly Queries[];

  constructor(cells: Cells) {
    this.queues = cells.parts().map((part) => part.directory);
  }

  async holding({ texts, channels, until }: SoughtPayloads, after: number, limit: number): Promise<KeptPayload[]> {
    for (let at = Math.floor(after / idsOfOne); at < this.queues.length; at += 1) {
      const first = at * idsOfOne;
      const values = [texts, Math.max(0, after - first), limit, until, channels];
      const found = (await this.queues[at]?.rows<KeptPayload>(holding, values)) ?? [];
      if (found.length > 0) return found.map((payload) => ({ ...payload, id: payload.id + first }));
    }
    return [];
  }

  async replace(id: number, before: string, after: string | null): Promise<boolean> {
    const own = id % idsOfOne;
    const values = after === null ? [own, before] : [own, before, after];
    const rows = await this.queues[Math.floor(id / idsOfOne)]?.rows(after === null ? remove : replace, values);
    return (rows?.length ?? 0) > 0;
  }
}
