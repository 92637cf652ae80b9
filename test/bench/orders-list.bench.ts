import { Agent } from "node:http";
import pg from "pg";
import type { StatementCall } from "../../src/infra/postgres/dynamic-sql.ts";
import { listCall } from "../../src/orders/adapters/postgres/list-sql.ts";
import type { OrderFilter, PageRequest } from "../../src/orders/application/reads/ports.ts";
import { type OrderState, orderStates } from "../../src/orders/domain/states.ts";
import { request } from "../support/http.ts";
import type { BareHandler } from "./bare.ts";
import { bareOrders } from "./bare-orders.ts";
import type { Bench } from "./bench.ts";
import { belowAim, contest, contestTable } from "./contest.ts";
import {
  agentOf,
  branchOf,
  businesses,
  daysAgo,
  large,
  loadOrders,
  loopRate,
  openSessions,
  small,
} from "./order-data.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded, type Table } from "./table.ts";

/**
 * - `bySize`: the maximum time of a first page in the large business, as a multiple of that in the small business
 * - `byFilter`: the maximum time of a deep or filtered page, as a multiple of page 1's time
 * - `ofBare`: the minimum throughput, as a share of the bare handler's
 */
const aims = { bySize: 1.5, byFilter: 5, ofBare: 0.7 };
const requestsEach = 150;

interface Variant {
  readonly name: string;
  readonly filter: Partial<OrderFilter>;
  readonly page?: number;
}

const variantsOf = (businessId: number): Variant[] => [
  { name: "page 1", filter: {} },
  ...orderStates.map((tab: OrderState) => ({ name: `tab ${tab}`, filter: { tab } })),
  { name: "page 1,000", filter: {}, page: 1_000 },
  { name: "branch", filter: { branchId: branchOf(businessId) } },
  { name: "agent", filter: { agentId: agentOf(businessId) } },
  { name: "from", filter: { from: new Date(daysAgo(30)) } },
  { name: "to", filter: { to: new Date(daysAgo(30)) } },
  { name: "from and to", filter: { from: new Date(daysAgo(150)), to: new Date(daysAgo(10)) } },
  {
    name: "all filters",
    filter: {
      tab: "completed",
      branchId: branchOf(businessId),
      agentId: agentOf(businessId),
      from: new Date(daysAgo(150)),
      to: new Date(daysAgo(10)),
    },
  },
];

const noFilter: OrderFilter = { tab: null, branchId: null, agentId: null, from: null, to: null };
const firstPage: PageRequest = { page: 1, limit: 9 };

const pathOf = (businessId: number, token: string, { filter, page }: Pick<Variant, "filter" | "page">): string => {
  const query = {
    token,
    status: filter.tab,
    sucursalId: filter.branchId,
    userId: filter.agentId,
    from: filter.from?.toISOString(),
    to: filter.to?.toISOString(),
    page,
  };
  const given = Object.entries(query).flatMap(([name, value]) =>
    value ? [[name, String(value)] as [string, string]] : [],
  );
  return `/catalogs/v2/orders/sucursal/${businessId}?${new URLSearchParams(given)}`;
};

/** §13 List orders of two businesses: one has 100,000 of all 200,000 orders, the other has 10,000. */
const bench: Bench = {
  about: "GET /catalogs/v2/orders/sucursal/{businessId} by size, page and filter, and against its bare statement",
  run: async (arena) => {
    const stage = await arena.stage({ businesses });
    arena.say("loading 200,000 orders");
    const { seconds } = await loadOrders(stage.databaseUrl);
    const sessions = await openSessions(stage);
    const { service, bare, stop } = await stage.contestants("orders-list");

    arena.say(`loaded in ${rounded(seconds)} s; asking for each page and filter`);
    const failures: string[] = [];
    const times = new Map<string, number>();
    const totals = new Map<string, number>();
    for (const round of [1, 2]) {
      for (const businessId of [small, large]) {
        for (const variant of variantsOf(businessId)) {
          const path = pathOf(businessId, sessions.get(businessId) ?? "", variant);
          const { p50, total } = await timed(service, path, round === 1 ? 20 : requestsEach);
          times.set(`${businessId} ${variant.name}`, p50);
          totals.set(`${businessId} ${variant.name}`, total);
        }
      }
    }
    const missed = await missedAims(stage.databaseUrl, times);
    failures.push(...(await wrongTotals(stage.databaseUrl, totals)));

    arena.say("page 1 of 100,000 orders against the bare statement");
    const call = listCall(large, noFilter, firstPage);
    const statementRate = await loopRate(stage.databaseUrl, 16, (database) =>
      database.rows(call.statement, call.values),
    );
    const shot = {
      method: "GET",
      path: pathOf(large, sessions.get(large) ?? "", { filter: {} }),
      headers: {},
      body: "",
    } as const;
    const first = await request(service.url + shot.path);
    const result = await contest({
      name: "list orders",
      service,
      bare,
      next: () => shot,
      isRight: (status, text) => status === 200 && text === first.text,
    });
    await stop();
    const p50s = Object.fromEntries(times);
    return {
      tables: [
        sizesTable(times, totals),
        contestTable("Page 1 of 100,000 orders (endpoint 13), 16 connections", { "9 orders": result }),
        {
          title: "Beside the statement alone, in a loop on 16 connections",
          columns: ["", "a second"],
          rows: [
            ["statement", statementRate],
            ["service", result.service.requestsPerSecond],
          ],
        },
      ],
      figures: { loadSeconds: rounded(seconds), p50s, statementRate, contest: result },
      failures: [...failures, ...result.failures],
      belowAim: [...missed, ...belowAim("list orders", result, aims.ofBare)],
    };
  },
};
export default bench;

export const bare: BareHandler = async ({ query }) => {
  const { statement, values } = listCall(large, noFilter, firstPage);
  return async () => {
    const [row] = await query<{ total: number; items: Parameters<typeof bareOrders>[0] }>(statement, values);
    if (!row) throw new Error("no row");
    const hasNextPage = row.total > firstPage.limit;
    return JSON.stringify({ status: "success", data: bareOrders(row.items), total: row.total, hasNextPage, page: 1 });
  };
};

/** Sends the requests one after the other on one connection. */
async function timed({ url }: OwnProcess, path: string, requests: number): Promise<{ p50: number; total: number }> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  let total = 0;
  for (let n = 0; n < requests; n += 1) {
    const began = performance.now();
    const answer = await request(url + path, { agent });
    latencies.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    total = answer.json.total;
  }
  agent.destroy();
  return { p50: quantile(latencies, 0.5), total };
}

const ratioOf = (times: ReadonlyMap<string, number>, one: string, other: string): number =>
  rounded((times.get(one) ?? Number.NaN) / (times.get(other) ?? Number.NaN), 2);

/** Describes the requests that missed their goals, with the query plans. */
async function missedAims(databaseUrl: string, times: ReadonlyMap<string, number>): Promise<string[]> {
  const missed: string[] = [];
  for (const { name, filter, page = 1 } of variantsOf(large)) {
    const isFirstPage = page === 1 && Object.keys(filter).every((each) => each === "tab");
    const bySize = ratioOf(times, `${large} ${name}`, `${small} ${name}`);
    const byFilter = ratioOf(times, `${large} ${name}`, `${large} page 1`);
    const said = [
      ...(isFirstPage && bySize > aims.bySize ? [`${bySize} times as long for 100,000 orders as for 10,000`] : []),
      ...(byFilter > aims.byFilter ? [`${byFilter} times as long as page 1`] : []),
    ];
    if (said.length === 0) continue;
    const plan = await planOf(databaseUrl, listCall(large, { ...noFilter, ...filter }, { page, limit: 9 }));
    missed.push(`${name}: ${said.join(", ")}\n${plan}`);
  }
  return missed;
}

async function planOf(databaseUrl: string, { statement, values }: StatementCall): Promise<string> {
  const rows = await queried<{ "QUERY PLAN": string }>(databaseUrl, `explain analyze ${statement.text}`, values);
  return rows.map((row) => `  ${row["QUERY PLAN"]}`).join("\n");
}

/** Compares the totals of the answers with a count of the rows. Describes the differences. */
async function wrongTotals(databaseUrl: string, totals: ReadonlyMap<string, number>): Promise<string[]> {
  const wrong: string[] = [];
  for (const businessId of [small, large]) {
    const counted = await queried<Record<string, string>>(
      databaseUrl,
      `select count(*) as "page 1", count(*) as "page 1,000", count(*) filter (where status = 8) as "tab pending",
              count(*) filter (where status = 1) as "tab progress",
              count(*) filter (where status in (2, 3)) as "tab on-the-way",
              count(*) filter (where status = 4) as "tab completed",
              count(*) filter (where status = 5) as "tab cancelled", count(*) filter (where branch_id = $2) as branch,
              count(*) filter (where chats.support_user_id = $3) as agent
       from orders join chats on chats.business_id = orders.business_id and chats.id = orders.chat_id
       where orders.business_id = $1`,
      [businessId, branchOf(businessId), agentOf(businessId)],
    );
    for (const [name, count] of Object.entries(counted[0] ?? {})) {
      const answered = totals.get(`${businessId} ${name}`);
      if (answered !== Number(count)) wrong.push(`total of ${name} in ${businessId}: ${answered}, not ${count}`);
    }
  }
  return wrong;
}

async function queried<Row extends object>(url: string, sql: string, values: readonly unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

const sizesTable = (times: ReadonlyMap<string, number>, totals: ReadonlyMap<string, number>): Table => ({
  title: "Lists of orders (endpoint 13), p50 in ms through HTTP, one request at a time",
  columns: ["", "of 10,000", "of 100,000", "by size", "of page 1", "matches of 100,000"],
  rows: variantsOf(large).map(({ name }) => [
    name,
    rounded(times.get(`${small} ${name}`) ?? Number.NaN, 2),
    rounded(times.get(`${large} ${name}`) ?? Number.NaN, 2),
    ratioOf(times, `${large} ${name}`, `${small} ${name}`),
    ratioOf(times, `${large} ${name}`, `${large} page 1`),
    totals.get(`${large} ${name}`) ?? Number.NaN,
  ]),
});
