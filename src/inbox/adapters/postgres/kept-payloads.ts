import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { KeptPayloads } from "../../application/contacts/ports.ts";

const holding: Statement = {
  name: "webhooks_holding",
  text: `
    select id, payload from incoming_webhooks
    where id > $2 and received_at <= coalesce($4::timestamptz, 'infinity') and exists (select from unnest($1::text[]) as sought where strpos(payload, sought) > 0)
    order by id limit $3`,
};

/** A payload that is being worked off is waited for. */
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

  holding(
    texts: readonly string[],
    until: Date | null,
    after: number,
    limit: number,
  ): Promise<{ id: number; payload: string }[]> {
    return this.database.rows<{ id: number; payload: string }>(holding, [texts, after, limit, until]);
  }

  async replace(id: number, before: string, after: string | null): Promise<boolean> {
    const values = after === null ? [id, before] : [id, before, after];
    return (await this.database.rows(after === null ? remove : replace, values)).length > 0;
  }
}
