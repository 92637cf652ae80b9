import { oneCell } from "../../src/infra/postgres/cells.ts";
import { PostgresOrderReads } from "../../src/orders/adapters/postgres/order-reads.ts";
import { request } from "../support/http.ts";
import { type BareHandler, statementsOf } from "./bare.ts";
import { bareOrder } from "./bare-orders.ts";
import type { Bench } from "./bench.ts";
import { belowAim, contest, contestTable } from "./contest.ts";
import { businesses, large, loadOrders, loopRate } from "./order-data.ts";

const aim = 0.7;
/** An order of the large business. */
const orderId = 199_984;

/** §12 Get an order, from a database with 200,000 orders. */
const bench: Bench = {
  about: "GET /catalogs/order/{orderId} against the same statement",
  run: async (arena) => {
    const stage = await arena.stage({ businesses });
    arena.say("loading 200,000 orders");
    await loadOrders(stage.databaseUrl);
    const { service, bare, stop } = await stage.contestants("get-order");
    const path = `/catalogs/order/${orderId}`;
    const headers = { "x-api-key": stage.appKey(large) };
    const first = await request(service.url + path, { headers });
    const statementRate = await loopRate(stage.databaseUrl, 16, (database) =>
      new PostgresOrderReads(oneCell(database)).find(large, orderId),
    );

    arena.say("reading one of them");
    const result = await contest({
      name: "get order",
      service,
      bare,
      next: () => ({ method: "GET", path, headers, body: "" }),
      isRight: (status, text) => status === 200 && text === first.text,
    });
    await stop();
    return {
      tables: [
        contestTable("One order (endpoint 12), 16 connections", { order: result }),
        {
          title: "Beside the statement alone, in a loop on 16 connections",
          columns: ["", "a second"],
          rows: [
            ["statement", statementRate],
            ["service", result.service.requestsPerSecond],
          ],
        },
      ],
      figures: { statementRate, contest: result },
      failures: result.failures,
      belowAim: belowAim("get order", result, aim),
    };
  },
};
export default bench;

export const bare: BareHandler = async ({ query }) => {
  const [find] = await statementsOf((queries) => new PostgresOrderReads(oneCell(queries)).find(large, orderId));
  if (!find) throw new Error("the adapter runs another statement than expected");
  return async () => {
    const [row] = await query<{ shown: Parameters<typeof bareOrder>[0] }>(find, [large, orderId]);
    if (!row) throw new Error("no row");
    return JSON.stringify({ data: bareOrder(row.shown) });
  };
};
