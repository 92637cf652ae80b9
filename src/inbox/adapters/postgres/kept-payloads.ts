import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { KeptPayloads } from "../../application/contacts/ports.ts";

const holding: Statement = {
  name: "webhooks_holding",
  text: `
    select id, payload from incoming_webhooks
    where id > $2 and exists (select from unnest($1::text[]) as sought where strpos(payload, sought) > 0)
    order by id limit $3`,
};

/** A payload that is being worked off is waited for. */
const replace: Statement = {
  name: "webhook_replace",
  text: "update incoming_webhooks set payload = $3, error = null where id = $1 and payload = $2",
};

const remove: Statement = {
  name: "webhook_remove_unchanged",
  text: "delete from incoming_webhooks where id = $1 and payload = $2",
};

export class PostgresKeptPayloads implements KeptPayloads {
  constructor(private readonly database: Queries) {}

  holding(texts: readonly string[], after: number, limit: number): Promise<{ id: number; payload: string }[]> {
    return this.database.rows<{ id: number; payload: string }>(holding, [texts, after, limit]);
  }

  async replace(id: number, before: string, after: string | null): Promise<void> {
    if (after === null) await this.database.rows(remove, [id, before]);
    else await this.database.rows(replace, [id, before, after]);
  }
}
