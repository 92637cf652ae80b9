import pg from "pg";
import { Database } from "../../src/infra/postgres/database.ts";
import { aBusiness } from "../support/world.ts";
import type { Stage } from "./stage.ts";

/** The ids of the businesses with the most and the fewest orders. The orders of all businesses are interleaved. */
export const large = 1;
export const small = 2;
type Shares = Readonly<Record<number, number>>;
const shares: Shares = { [large]: 10, [small]: 1, 3: 3, 4: 3, 5: 3 };
export const orderCount = 200_000;
const days = 180;

export const businesses = Object.keys(shares).map((id) => aBusiness(Number(id)));
export const branchOf = (businessId: number): number => businessId * 100 + 1;
/** An agent with a tenth of the business's chats. */
export const agentOf = (businessId: number): number => businessId * 1_000 + 1;
export const daysAgo = (n: number): string => new Date(Date.now() - n * 86_400_000).toISOString();

/** @param shares - by business id: how many of every twenty orders belong to the business */
const stepsOf = (orderCount: number, shares: Shares): readonly string[] => [
  `insert into users (business_id, id, name, role_id)
   select business.id, business.id * 1000 + n, 'Agente ' || n, 5
   from businesses as business, generate_series(1, 10) as n`,
  `insert into branches (business_id, id, name)
   select business.id, business.id * 100 + n, 'Sucursal ' || n from businesses as business, generate_series(1, 3) as n`,
  `insert into zones (business_id, id, name, price, branch_id)
   select business.id, business.id * 100 + n, 'Zona ' || n, 7.5 + n, business.id * 100 + n
   from businesses as business, generate_series(1, 3) as n`,
  `insert into articles (business_id, id, name, price)
   select business.id, business.id * 1000 + n, 'Artículo ' || n, 3.10 + n
   from businesses as business, generate_series(1, 400) as n`,
  `insert into article_extras (business_id, id, name, charge)
   select business.id, business.id * 1000 + n, 'Extra ' || n, 0.10 * n
   from businesses as business, generate_series(1, 100) as n`,
  `create temp table spread as
   select n, (array[${Object.entries(shares).flatMap(([id, share]) => Array(share).fill(id))}])[1 + n % 20] as business_id
   from generate_series(1, ${orderCount}) as n`,
  // One contact and chat per five orders.
  `insert into contacts (business_id, id, name, phone, platform_id)
   select business_id, 1000000 + n,
          (array['Carla', 'Juan', 'María', 'José', 'Ana', 'Luis', 'Rosa', 'Pedro'])[1 + n % 8] || ' ' || md5(n::text),
          (59180000000 + n)::text, (59180000000 + n)::text
   from spread where n <= ${orderCount / 5}`,
  `insert into chats (business_id, id, contact_id, provider, support_user_id)
   select business_id, id, id, 'cloud', business_id * 1000 + 1 + id / 20 % 10 from contacts where id > 1000000`,
  `insert into orders (business_id, id, status, type, shipment_method, payment_method, branch_id, zone_id, chat_id,
                       cancel_reason, created_at, updated_at)
   select business_id, n, status, (array['wa', 'app', 'web', 'call'])[1 + n / 20 % 4], 'delivery', 'cash', branch, branch,
          1000000 + 1 + (n - 1) % ${orderCount / 5},
          case when status = 5 then
            case when n % 3 = 0 then 'Sin stock' else '(BOT) Cancelada por inactividad en el chat' end end, at, at
   from (select n, business_id, business_id * 100 + 1 + n / 20 % 3 as branch,
                (array[8, 1, 2, 3, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4])[1 + (hashint4(n) & 1023) % 20] as status,
                now() - (${orderCount} - n) * interval '${days} days' / ${orderCount} as at
         from spread) as drawn`,
  // Disables the triggers, since the generated references are valid and checking them takes long.
  "set session_replication_role = replica",
  `insert into order_lines (business_id, id, order_id, article_id, quantity, type, name, unit_price)
   select business_id, n * 3 - line, n, business_id * 1000 + article, 1 + line, 'item', 'Artículo ' || article, 3.10 + article
   from spread, generate_series(0, 2) as line cross join lateral (select 1 + (n + line * 7) % 400 as article) as bought`,
  `insert into line_extras (business_id, id, line_id, extra_id, charge)
   select business_id, n * 3 - line, n * 3 - line, business_id * 1000 + extra, 0.10 * extra
   from spread, generate_series(0, 2) as line cross join lateral (select 1 + (n + line) % 100 as extra) as taken`,
  `insert into order_discounts (business_id, order_id, kind, amount)
   select business_id, n, 'coupon', 2.50 from spread where n / 20 % 5 = 0`,
  "set session_replication_role = origin",
  "drop table spread",
  // Index-only scans need a vacuum. In production, autovacuum would soon run it.
  `vacuum (analyze) branches, zones, articles, article_extras, contacts, chats, orders, order_lines, line_extras,
     order_discounts, order_counts, order_day_counts`,
];

/** Creates the orders. Each has three lines with one extra each. */
export async function loadOrders(
  databaseUrl: string,
  orders = orderCount,
  of = shares,
): Promise<{ readonly seconds: number }> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const began = performance.now();
    for (const step of stepsOf(orders, of)) await client.query(step);
    return { seconds: (performance.now() - began) / 1000 };
  } finally {
    await client.end();
  }
}

/** A session token of each business's administrator. */
export async function openSessions(stage: Stage): Promise<ReadonlyMap<number, string>> {
  const opened = new Map<number, string>();
  for (const { id } of businesses) opened.set(id, await stage.sessionToken(id * 100 + 1));
  return opened;
}

/** Runs `run` in a loop on each connection. Returns the runs per second. */
export async function loopRate(
  databaseUrl: string,
  connections: number,
  run: (database: Database) => Promise<unknown>,
): Promise<number> {
  const limits = { poolSize: connections, statementTimeoutMs: 30_000, connectTimeoutMs: 10_000 };
  const database = Database.open({ url: databaseUrl, ...limits }, () => {});
  try {
    const round = async (length: number): Promise<number> => {
      let runs = 0;
      const began = performance.now();
      const one = async () => {
        for (; performance.now() - began < length; runs += 1) await run(database);
      };
      await Promise.all(Array.from({ length: connections }, one));
      return Math.round(runs / ((performance.now() - began) / 1_000));
    };
    await round(500);
    return await round(2_000);
  } finally {
    await database.close();
  }
}
