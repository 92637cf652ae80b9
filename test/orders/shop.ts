import type { World } from "../support/world.ts";

/**
 * Creates the shop of a business: two branches, two zones, three articles (the third is a free delivery), three extras
 * and a driver. The ids of each table begin at `businessId * 100 + 1`.
 */
export async function openShop(world: Pick<World, "rows">, businessId: number): Promise<void> {
  const base = businessId * 100;
  const insert = (sql: string) => world.rows(sql, [businessId, base]);
  await insert("insert into branches (business_id, id, name) values ($1, $2 + 1, 'Centro'), ($1, $2 + 2, 'Sur')");
  await insert(
    `insert into zones (business_id, id, name, price, branch_id)
     values ($1, $2 + 1, 'Centro', 10.50, $2 + 1), ($1, $2 + 2, 'Sur', 15.00, $2 + 2)`,
  );
  await insert(
    `insert into articles (business_id, id, name, price, type, retailer_id)
     values ($1, $2 + 1, 'Salteña', 8.10, 'item', 'SAL-1'), ($1, $2 + 2, 'Api con pastel', 12.20, 'item', null),
            ($1, $2 + 3, 'Envío gratis', 0.00, 'free_delivery', null)`,
  );
  await insert(
    `insert into article_extras (business_id, id, name, charge)
     values ($1, $2 + 1, 'Llajua', 0.10), ($1, $2 + 2, 'Queso', 3.20), ($1, $2 + 3, 'Grande', 5.00)`,
  );
  await insert(
    `insert into drivers (business_id, id, name, last_latitude, last_longitude, last_located_at)
     values ($1, $2 + 1, 'Raúl Rider', -16.5, -68.15, '2026-01-02T03:04:05Z')`,
  );
}

interface OrderFields {
  readonly id: number;
  readonly status: number;
  readonly type: string;
  readonly shipment_method: "delivery" | "pickup" | null;
  readonly payment_method: string | null;
  readonly branch_id: number | null;
  readonly zone_id: number | null;
  readonly latitude: number;
  readonly longitude: number;
  readonly chat_id: number | null;
  readonly external_user_id: string | null;
  readonly driver_id: number | null;
  readonly user_id: number | null;
  readonly paid: boolean | null;
  readonly cancel_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Adds an order. The defaults: pending, of type `wa`, for delivery to the first zone, in the first chat. */
export async function addOrder(
  world: Pick<World, "rows">,
  businessId: number,
  changes: Partial<OrderFields> = {},
): Promise<number> {
  const first = businessId * 100 + 1;
  const fields = {
    status: 8,
    type: "wa",
    shipment_method: "delivery",
    payment_method: "cash",
    branch_id: first,
    zone_id: first,
    chat_id: first,
    ...changes,
  };
  const names = Object.keys(fields);
  const [row] = await world.rows<{ id: number }>(
    `insert into orders (business_id, ${names.join(", ")})
     values ($1, ${names.map((_, i) => `$${i + 2}`).join(", ")}) returning id`,
    [businessId, ...Object.values(fields)],
  );
  return row?.id ?? 0;
}

/** Adds a line with an article (the first unless given) and extras. */
export async function addLine(
  world: Pick<World, "rows">,
  businessId: number,
  orderId: number,
  line: { articleId?: number; quantity?: number; type?: string; extras?: readonly number[] } = {},
): Promise<number> {
  const { articleId = businessId * 100 + 1, quantity = 1, type = "item", extras = [] } = line;
  const [row] = await world.rows<{ id: number }>(
    `with line as (
       insert into order_lines (business_id, order_id, article_id, quantity, type, retailer_id)
       select $1, $2, id, $4, $5, retailer_id from articles where business_id = $1 and id = $3
       returning business_id, id),
     extras as (
       insert into line_extras (business_id, line_id, extra_id)
       select business_id, line.id, extra from line, unnest($6::bigint[]) as extra)
     select id from line`,
    [businessId, orderId, articleId, quantity, type, extras],
  );
  return row?.id ?? 0;
}
