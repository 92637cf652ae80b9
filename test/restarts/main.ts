import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";
import { createDatabase } from "../bench/database.ts";
import type { Shot } from "../bench/load.ts";
import { openLoop } from "../bench/open-loop.ts";
import { freePort, type OwnProcess } from "../bench/processes.ts";
import { openStage } from "../bench/stage.ts";
import { formatTable, quantile, rounded } from "../bench/table.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, appSecret } from "../support/world.ts";
import { startBalancer } from "./balancer.ts";

/**
 * `node --import tsx test/restarts/main.ts`: two API processes behind haproxy and two workers are restarted several
 * times under load, and one API process is killed at the end. Prints a table. Exits with 1 if a request failed during
 * the restarts, if more than `mostUnderWay` requests failed at the kill, or if a message was lost or sent twice.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const business = 1;
const rounds = 3;
const perSecond = 100;
/** Customers' messages per second. */
const sayingPerSecond = 5;
/** At its end, the test waits at most this many milliseconds until all messages are stored and delivered. */
const settleMs = 30_000;
/** How many requests may fail because a process is killed, at `perSecond` requests per second. */
const mostUnderWay = 10;

const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<number> {
  say("building what production runs");
  execFileSync("make", ["--silent", "build"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const server = await startEmbeddedPostgres({ directory: `${root}.data/restarts-postgres`, fsync: true, log: say });
  const database = await createDatabase(server.url, "restarts");
  const stage = await openStage({
    databaseUrl: database.url,
    businesses: [aBusiness(business, { threads: [] })],
    statusDelayMs: 50,
  });
  const client = new pg.Client({ connectionString: database.url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()]);
    const [balancerPort, ...own] = ports;
    const roles = ["api", "api", "worker", "worker"];
    const begin = (n: number) => stage.service("dist", { ROLE: roles[n] ?? "", PORT: String(own[n]) });
    const processes: OwnProcess[] = await Promise.all(roles.map((_, n) => begin(n)));
    const balancer = await startBalancer(balancerPort ?? 0, [processes[0]?.url ?? "", processes[1]?.url ?? ""]);
    await stage.control("POST", "/webhook", { url: `${balancer.url}/webhooks/cloud`, appSecret });

    const clients = new Clients(stage.appKey(business));
    const replacing = (async () => {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [n, role] of roles.entries()) {
          say(`round ${round}: ${role} ${n} is replaced`);
          await processes[n]?.stop();
          processes[n] = await begin(n);
          await sleep(1_000);
        }
      }
    })();
    const rolling = await clients.askUntil(replacing, balancer.url, stage.control);

    const killing = (async () => {
      await sleep(2_000);
      say("one API process is killed");
      await processes[0]?.kill();
      await sleep(3_000);
      processes[0] = await begin(0);
      await sleep(2_000);
    })();
    const killed = await clients.askUntil(killing, balancer.url, stage.control);

    say("waiting for what is still on its way");
    const wrong = await unsettled(client, clients);
    for (const each of processes) await each.stop();
    balancer.close();

    const sent = await stage.control<{ readonly accepted: number; readonly duplicates: number }>(
      "GET",
      "/messages/count",
    );
    console.log(
      formatTable({
        title: `${rounds} times round, ${perSecond} requests a second through haproxy`,
        columns: ["", "requests", "answered", "failed", "p50 ms", "p99 ms", "worst ms"],
        rows: [
          ["each process replaced", ...rowOf(rolling)],
          ["an API process killed", ...rowOf(killed)],
        ],
      }),
    );
    console.log(`templates answered with success: ${clients.sent.size}; the platform took ${sent.accepted}`);
    console.log(`customers wrote ${clients.said.length} messages`);
    const problems = [
      ...(rolling.failed > 0 ? [`${rolling.failed} requests failed: ${JSON.stringify(rolling.wrong)}`] : []),
      ...(killed.failed > mostUnderWay ? [`${killed.failed} requests failed at the kill`] : []),
      ...(sent.duplicates > 0 ? [`${sent.duplicates} messages were sent twice`] : []),
      ...wrong,
    ];
    for (const problem of problems) console.log(`WRONG: ${problem}`);
    return problems.length > 0 ? 1 : 0;
  } finally {
    await client.end();
    await stage.close();
    await database.drop();
    await server.stop();
  }
}

interface Felt {
  readonly requests: number;
  readonly latencies: readonly number[];
  readonly failed: number;
  readonly wrong: Readonly<Record<number, number>>;
}

const rowOf = ({ requests, latencies, failed }: Felt) => [
  requests,
  latencies.length,
  failed,
  ...[0.5, 0.99, 1].map((share) => rounded(quantile(latencies, share), 1)),
];

/** A CRM that reads and sends, and customers who write. */
class Clients {
  /** The phone number of each template request that the service answered with 200. */
  readonly sent = new Set<string>();
  /** The platform's ids of customers' messages. */
  readonly said: string[] = [];
  private count = 0;

  constructor(private readonly appKey: string) {}

  async askUntil(over: Promise<void>, url: string, control: Control): Promise<Felt> {
    let isOver = false;
    const ended = over.finally(() => {
      isOver = true;
    });
    const latencies: number[] = [];
    const wrong: Record<number, number> = {};
    let requests = 0;
    const asking = (async () => {
      while (!isOver) {
        const answered = await openLoop({ url, perSecond, seconds: 1, next: () => this.next() });
        requests += perSecond;
        latencies.push(...answered.latencies);
        for (const [status, count] of Object.entries(answered.wrong))
          wrong[Number(status)] = (wrong[Number(status)] ?? 0) + count;
      }
    })();
    const saying = (async () => {
      while (!isOver) {
        await this.customerWrites(control);
        await sleep(1_000 / sayingPerSecond);
      }
    })();
    await Promise.all([ended, asking, saying]);
    return { requests, latencies, wrong, failed: requests - latencies.length };
  }

  private next(): Shot {
    this.count += 1;
    const headers = { "x-api-key": this.appKey };
    if (this.count % 5 > 0) return { method: "GET", path: "/chats?limit=20", headers, body: "" };
    const phone = `591${70_000_000 + this.count}`;
    const answered = (status: number): void => void (status === 200 && this.sent.add(phone));
    const message = { empresa_id: business, phone_number: phone, plantilla_id: 101, parameters: ["Ana", phone] };
    return {
      path: "/chats/enviar/plantilla/business",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(message),
      answered,
    };
  }

  private async customerWrites(control: Control): Promise<void> {
    const number = `591${60_000_000 + this.said.length}`;
    const { id } = await control<{ readonly id: string }>("POST", `/customers/${number}/say`, { text: "Hola" });
    this.said.push(id);
  }
}

type Control = <Result>(method: string, path: string, body?: unknown) => Promise<Result>;

/** Waits for all messages, at most `settleMs`. Returns what is wrong in the database then. */
async function unsettled(client: pg.Client, { sent, said }: Clients): Promise<string[]> {
  const figures = async () => {
    const { rows } = await client.query(
      `select (select count(*)::int from messages where direction = 'in' and platform_message_id = any($1)) as written,
              (select count(*)::int from messages where direction = 'out' and state in ('delivered', 'read')) as delivered,
              (select count(*)::int from messages where direction = 'out') as sent,
              (select count(*)::int from unnest($2::text[]) as phone where not exists (
                 select 1 from contacts as contact
                 join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
                 join messages as message on message.business_id = chat.business_id and message.chat_id = chat.id
                 where contact.phone = phone and message.direction = 'out')) as lost,
              (select count(*)::int from incoming_webhooks) as webhooks`,
      [said, [...sent]],
    );
    return rows[0] as Readonly<Record<"written" | "delivered" | "sent" | "lost" | "webhooks", number>>;
  };
  const isSettled = async () => {
    const { written, delivered, sent: stored } = await figures();
    return written === said.length && delivered === stored;
  };
  await eventually(isSettled, settleMs).catch(() => {});
  const { written, delivered, sent: stored, lost, webhooks } = await figures();
  return [
    ...(written < said.length ? [`customers wrote ${said.length} messages, ${written} are there`] : []),
    ...(delivered < stored ? [`${stored - delivered} of ${stored} messages are not known to be delivered`] : []),
    ...(lost > 0 ? [`${lost} of ${sent.size} sent templates are not there`] : []),
    ...(webhooks > 0 ? [`${webhooks} webhooks wait`] : []),
  ];
}

process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
  process.exit(await main());
} catch (error) {
  console.error(error);
  process.exit(1);
}
