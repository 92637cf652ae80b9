import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { quantile, rounded } from "./table.ts";

const orders = 200_000;
const carts = 10_000;
const rounds = 5;
/** The maximum duration of a run, as a multiple of the bare UPDATE's duration. */
const aim = 25;
/** The maximum milliseconds of a run that finds nothing to cancel. */
const idleAim = 100;
const longestMs = 60_000;

type Rows = (sql: string, values?: readonly unknown[]) => Promise<readonly { readonly count: number }[]>;

/**
 * Compares a run of the job with one UPDATE of the same orders. The UPDATE gets the ids, and omits the history and
 * the events. Each round measures the job, a second run that finds nothing, and the UPDATE. The orders are restored
 * before and after the UPDATE.
 */
const bench: Bench = {
  about: `${carts} abandoned carts among ${orders} orders, cancelled in one run, against a bare UPDATE of their rows`,
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [aBusiness(1)] });
    const container = createContainer(readConfig({ ...stage.environment, LOG_LEVEL: "silent", ROLE: "worker" }));
    const database = resolve(container, tokens.database);
    const rows: Rows = (text, values = []) => database.rows({ name: "", text }, values);
    await fill(rows);
    const api = await stage.service("dist", { ROLE: "api" });
    const { token } = await resolve(container, tokens.openSession).forUser(101);
    const socket = await listen(api.url, token);
    const job = resolve(container, tokens.cancelInactive);

    const failures: string[] = [];
    const seen: { runMs: number; eventsMs: number; updateMs: number; nothingMs: number; ratio: number }[] = [];
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      socket.heard.clear();
      const run = await timed(() => job.execute());
      const eventsMs = run.ms + (await timed(() => untilHeard(socket.heard, carts))).ms;
      const nothing = await timed(() => job.execute());
      if (run.result.orders !== carts) failures.push(`inactivity: ${run.result.orders} of ${carts} carts cancelled`);
      if (socket.heard.size !== carts) failures.push(`inactivity: ${socket.heard.size} events of ${carts} arrived`);
      if (socket.doubles > 0) failures.push(`inactivity: ${socket.doubles} events arrived twice`);
      if (nothing.result.orders > 0) failures.push(`inactivity: a second run cancelled ${nothing.result.orders}`);
      await putBack(rows);
      const update = await timed(() => rows(bareUpdate));
      await putBack(rows);
      const figures = { runMs: run.ms, eventsMs, updateMs: update.ms, nothingMs: nothing.ms };
      arena.say(
        Object.entries(figures)
          .map(([name, ms]) => `${name} ${rounded(ms)}`)
          .join(", "),
      );
      if (round > 0) seen.push({ ...figures, ratio: rounded(run.ms / update.ms, 2) });
    }
    socket.close();
    await api.stop();
    await database.close();

    const ratio = quantile(
      seen.map((one) => one.ratio),
      0.5,
    );
    const median = (of: keyof (typeof seen)[number]) =>
      rounded(
        quantile(
          seen.map((one) => one[of]),
          0.5,
        ),
        1,
      );
    const nothingMs = median("nothingMs");
    const met = ratio <= aim && nothingMs <= idleAim;
    return {
      tables: [
        {
          title: `Cancelling ${carts} of ${orders} orders; the aims are ${aim} times the bare UPDATE, and ${idleAim} ms for nothing: ${met ? "met" : "not met"}`,
          columns: ["", "median ms", "times the bare UPDATE"],
          rows: [
            ["bare UPDATE of the same rows", median("updateMs"), ""],
            ["one run, with history and events", median("runMs"), ratio],
            ["until the last event is at a client", median("eventsMs"), ""],
            ["a run that finds nothing", nothingMs, ""],
          ],
        },
      ],
      figures: { orders, carts, seen, ratio, aim, nothingMs, idleAim },
      failures,
      belowAim: met ? [] : [`inactivity: ${ratio} times the bare UPDATE, ${nothingMs} ms for nothing`],
    };
  },
};
export default bench;

const bareUpdate = `
  update orders set status = 5, cancel_reason = '(BOT) Cancelada por inactividad en el chat', version = version + 1,
                    updated_at = now()
  where business_id = 1 and id = any(array(select id from carts))`;

/** Of every 20 orders, one is an abandoned cart. 12 are completed, 4 cancelled, 2 paid, and an agent handles one. */
async function fill(rows: Rows): Promise<void> {
  const share = orders / carts;
  await rows("insert into branches (business_id, id, name) values (1, 1, 'Centro')");
  await rows("insert into zones (business_id, id, name, price, branch_id) values (1, 1, 'Centro', 10.50, 1)");
  await rows(
    "insert into articles (business_id, id, name, price) select 1, n, 'Plato ' || n, n from generate_series(1, 20) as n",
  );
  await rows("insert into article_extras (business_id, id, name, charge) values (1, 1, 'Queso', 3.20)");
  await rows(
    `insert into contacts (business_id, id, name, phone, platform_id)
     select 1, 1000 + n, 'Cliente ' || n, (59180000000 + n)::text, (59180000000 + n)::text
     from generate_series(1, $1::int * 2) as n`,
    [carts],
  );
  await rows(
    `insert into chats (business_id, id, contact_id, provider, last_message_at, last_inbound_at)
     select 1, id, id, 'platform-apicloud', now() - interval '2 hours', now() - interval '2 hours'
     from contacts where id > 1000`,
  );
  await rows(
    `insert into conversations (business_id, id, chat_id, state)
     select 1, id, id, case when id <= 1000 + $1::int then 'bot' else 'in_progress' end from chats where id > 1000`,
    [carts],
  );
  await rows(
    `insert into orders (business_id, id, status, type, shipment_method, payment_method, branch_id, zone_id, chat_id,
                         paid, created_at, updated_at)
     select 1, n, case when n % $1::int = 0 then 8 when n % $1 <= 12 then 4 when n % $1 <= 16 then 5 else 1 end,
            'wa', 'delivery', 'cash', 1, 1,
            1000 + (n + $1 - 1) / $1 + case when n % $1 = 19 then $3::int else 0 end, n % $1 in (17, 18),
            now() - interval '3 hours' - make_interval(secs => n), now() - interval '3 hours'
     from generate_series(1, $2::int) as n`,
    [share, orders, carts],
  );
  await rows("create table carts as select id from orders where status = 8");
  await rows(
    `insert into order_lines (business_id, order_id, article_id, quantity, type)
     select 1, id, 1 + (id + n) % 20, 1 + n, 'item' from orders, generate_series(1, 2) as n`,
  );
  await rows(
    "insert into line_extras (business_id, line_id, extra_id) select 1, id, 1 from order_lines where id % 2 = 0",
  );
  await rows("vacuum analyze");
}

async function putBack(rows: Rows): Promise<void> {
  await rows(
    `update orders set status = 8, cancel_reason = null, version = 1, updated_at = created_at
     where business_id = 1 and id = any(array(select id from carts))`,
  );
  await rows("truncate order_changes");
  await rows("vacuum analyze orders");
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Connects a client that collects the ids of changed orders and counts repeated events for an order. */
async function listen(url: string, token: string) {
  const socket = io(`${url}/realtime`, { transports: ["websocket"], auth: { token } });
  const heard = new Set<number>();
  const client = { heard, doubles: 0, close: () => socket.disconnect() };
  socket.on("order:changed", ({ id }: { id: number }) => {
    if (heard.has(id)) client.doubles += 1;
    heard.add(id);
  });
  await new Promise((resolve, reject) => socket.once("ready", resolve).once("connect_error", reject));
  return client;
}

async function untilHeard(heard: ReadonlySet<number>, count: number): Promise<void> {
  const deadline = Date.now() + longestMs;
  while (heard.size < count && Date.now() < deadline) await sleep(5);
}
