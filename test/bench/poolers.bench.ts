import { request } from "../support/http.ts";
import { type PoolMode, startPooler } from "../support/pooler.ts";
import type { Bench } from "./bench.ts";
import { type ContestResult, contest } from "./contest.ts";
import type { Shot } from "./load.ts";
import { businesses, large, loadOrders } from "./order-data.ts";
import type { OwnProcess } from "./processes.ts";
import type { Stage } from "./stage.ts";

const orders = 20_000;
/** An order of the large business. */
const orderId = 19_984;
const modes: readonly PoolMode[] = ["session", "transaction"];

/** The same service behind PgBouncer and without it. */
const bench: Bench = {
  about: "reads and sends behind PgBouncer in both modes, against the same service with connections of its own",
  run: async (arena) => {
    const stage = await arena.stage({ businesses });
    await loadOrders(stage.databaseUrl, orders);
    const direct = await stage.service("dist");
    const results: Record<string, ContestResult> = {};
    for (const mode of modes) {
      const pooler = await startPooler(mode, stage.databaseUrl);
      if (!pooler) {
        arena.say("left out: pgbouncer is not installed");
        break;
      }
      const pooled = await stage.service("dist", {
        DATABASE_URL: pooler.through(stage.databaseUrl),
        ...(mode === "transaction" && {
          DATABASE_DIRECT_URL: stage.databaseUrl,
          DATABASE_STATEMENT_NAMES: "off",
        }),
      });
      for (const [name, next] of Object.entries(await requestsOf(stage, direct))) {
        arena.say(`${name}, ${mode} mode`);
        const isRight = (status: number) => status === 200;
        results[`${name}, ${mode} mode`] = await contest({ name, service: pooled, bare: direct, next, isRight });
      }
      await pooled.stop();
      await pooler.close();
    }
    await direct.stop();
    return {
      tables: [
        {
          title: "Behind PgBouncer, 16 connections of clients",
          columns: ["", "direct/s", "pooled/s", "p50 ms", "p99 ms", "of direct (worst to best round)"],
          rows: Object.entries(results).map(([name, { service, bare, ratio, ratios }]) => [
            name,
            bare.requestsPerSecond,
            service.requestsPerSecond,
            service.p50Ms,
            service.p99Ms,
            `${ratio} (${Math.min(...ratios)} to ${Math.max(...ratios)})`,
          ]),
        },
      ],
      figures: results,
      failures: Object.values(results).flatMap(({ failures }) => failures),
      belowAim: [],
    };
  },
};
export default bench;

async function requestsOf(stage: Stage, service: OwnProcess): Promise<Record<string, () => Shot>> {
  const path = `/catalogs/order/${orderId}`;
  const headers = { "x-api-key": stage.appKey(large) };
  const { status } = await request(service.url + path, { headers });
  if (status !== 200) throw new Error(`the order answers ${status}`);
  let sent = 0;
  return {
    "get an order": () => ({ method: "GET", path, headers, body: "" }),
    "send a template": () => {
      sent += 1;
      const businessId = 1 + (sent % businesses.length);
      return {
        path: "/chats/enviar/plantilla/business",
        headers: { "x-api-key": stage.appKey(businessId) },
        body: JSON.stringify({
          empresa_id: businessId,
          phone_number: `591${70_000_000 + (sent % 500)}`,
          plantilla_id: businessId * 100 + 1,
          parameters: ["Carla", String(sent)],
        }),
      };
    },
  };
}
