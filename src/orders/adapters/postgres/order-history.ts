import type { Cells } from "../../../infra/postgres/cells.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { OrderHistory, PageRequest } from "../../application/reads/ports.ts";
import type { OrderChange } from "../../domain/change.ts";

const list = statement("order_history")`
  select (select count(*) from order_changes where business_id = $1 and order_id = $2) as total,
         (select coalesce(json_agg(page order by page.id desc), '[]') from (
            select change.id, change.version, change.action, change.changes, change.at,
                   json_build_object('kind', change.actor, 'id', change.actor_id,
                                     'name', coalesce(key.label, person.name, nullif(customer.name, ''))) as actor
            from order_changes as change
            left join app_keys as key
              on change.actor = 'key' and key.business_id = change.business_id and key.id = change.actor_id
            left join users as person
              on change.actor = 'user' and person.business_id = change.business_id and person.id = change.actor_id
            left join contacts as customer
              on change.actor = 'contact' and customer.business_id = change.business_id and customer.id = change.actor_id
            where change.business_id = $1 and change.order_id = $2
            order by change.id desc limit $3 offset $4) as page) as changes
  from orders as o where o.business_id = $1 and o.id = $2`;

interface HistoryRow {
  readonly total: number;
  readonly changes: readonly (Omit<OrderChange, "at"> & { readonly at: string })[];
}

export class PostgresOrderHistory implements OrderHistory {
  constructor(private readonly cells: Cells) {}

  async list(businessId: number, orderId: number, { page, limit }: PageRequest) {
    const [row] = await this.cells
      .of(businessId)
      .rows<HistoryRow>(list, [businessId, orderId, limit, (page - 1) * limit]);
    if (!row) return null;
    return { total: row.total, items: row.changes.map((change) => ({ ...change, at: new Date(change.at) })) };
  }
}
