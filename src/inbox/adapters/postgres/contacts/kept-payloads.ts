import type { Cells } from "../../../../infra/postgres/cells.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { KeptPayload, KeptPayloads, SoughtPayloads } from "../../../application/contacts/ports.ts";

/**
 * The most payloads and bytes that are read at a time. The payload that passes `mostBytes` is still read, because a
 * single payload with a large file may be longer than `mostBytes`.
 */
const payloadsAtOnce = 100;
const mostBytes = 16 * 1024 * 1024;

const holding = statement("webhooks_holding")`
  with found as (
    select id, octet_length(payload) as size from incoming_webhooks
    where id > $2 and provider = any($4::text[]) and received_at <= coalesce($3::timestamptz, 'infinity')
      and exists (select 1 from unnest($1::text[]) as sought where strpos(payload, sought) > 0)
    order by id limit ${payloadsAtOnce}
  ),
  sized as (select id, sum(size) over (order by id) - size as before from found)
  select webhook.id, webhook.provider as channel, webhook.payload
  from sized join incoming_webhooks as webhook on webhook.id = sized.id
  where sized.before < ${mostBytes}
  order by webhook.id`;

/** While a worker handles the payload, its row is locked, and this statement waits. */
const replace = statement("webhook_replace")`
  update incoming_webhooks set payload = $3, error = null where id = $1 and payload = $2 returning id`;

const remove = statement("webhook_remove_unchanged")`
  delete from incoming_webhooks where id = $1 and payload = $2 returning id`;

/** A payload may concern several businesses, so all cells are looked through. */
export class PostgresKeptPayloads implements KeptPayloads {
  constructor(private readonly cells: Cells) {}

  async edit({ texts, channels, until }: SoughtPayloads, edit: (kept: KeptPayload) => string | null): Promise<void> {
    for (const { common: queue } of this.cells.parts()) {
      for (let after = 0; ; ) {
        const found = await queue.rows<KeptPayload & { id: number }>(holding, [texts, after, until, channels]);
        if (found.length === 0) break;
        for (const { id, ...kept } of found) {
          const left = edit(kept);
          if (left !== kept.payload) {
            const [statement, values] = left === null ? [remove, []] : [replace, [left]];
            const changed = await queue.rows(statement, [id, kept.payload, ...values]);
            // The payload was changed or removed after it was read, so the search starts again at this payload.
            if (changed.length === 0) break;
          }
          after = id;
        }
      }
    }
  }
}
