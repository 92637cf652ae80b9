import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { aBusiness, aWebhook, signatureOf } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { load, type Shot } from "./load.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded } from "./table.ts";

const customers = 500;
/** Per customer and round. */
const messagesEach = 4;
const rounds = 10;
const connections = 16;
/** After all messages of a round are sent, the maximum milliseconds until they are processed. */
const patienceMs = 60_000;
/** Milliseconds between two checks for waiting messages. */
const askMs = 5;

/** Measures how many messages of customers are processed per second. A round ends when `incoming_webhooks` is empty. */
const bench: Bench = {
  about: "incoming messages: webhook, chat, unread, events; the same in another checkout gives the figure to compare",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [aBusiness(1, { threads: [] })] });
    const service = await stage.service("dist");
    const client = new pg.Client({ connectionString: stage.databaseUrl, connectionTimeoutMillis: 10_000 });
    await client.connect();
    const stored: number[] = [];
    const failures: string[] = [];
    arena.say(`${rounds} rounds of ${customers * messagesEach} messages`);
    // The first round is not measured, since it creates contacts and chats.
    await writeAll(service, client, 0, failures);
    const cpuBefore = await service.cpuMs();
    const databaseBefore = await databaseCpuMs(client);
    for (let round = 1; round <= rounds; round += 1) {
      stored.push(await writeAll(service, client, round, failures));
    }
    const cpuMs = (await service.cpuMs()) - cpuBefore;
    const databaseMs = (await databaseCpuMs(client)) - databaseBefore;
    const sent = (rounds + 1) * customers * messagesEach;
    const { rows } = await client.query("select count(*)::int as messages from messages where direction = 'in'");
    if (rows[0].messages !== sent) failures.push(`${sent} were written, ${rows[0].messages} are stored`);
    await client.end();
    await service.stop();
    const measured = rounds * customers * messagesEach;
    const figures = {
      perSecond: rounded(quantile(stored, 0.5)),
      cpuMsPerMessage: rounded(cpuMs / measured, 3),
      databaseCpuMsPerMessage: rounded(databaseMs / measured, 3),
      rounds: stored,
    };
    return {
      tables: [
        {
          title: "Incoming messages, from the webhook to the inbox",
          columns: ["", "a second (median of rounds)", "worst", "best", "CPU ms each", "CPU ms each of the database"],
          rows: [
            [
              "messages",
              figures.perSecond,
              rounded(Math.min(...stored)),
              rounded(Math.max(...stored)),
              figures.cpuMsPerMessage,
              figures.databaseCpuMsPerMessage,
            ],
          ],
        },
      ],
      figures,
      failures,
      belowAim: [],
    };
  },
};
export default bench;

/** Sends the messages of a round and waits until all are processed. Returns the messages per second. */
async function writeAll({ url }: OwnProcess, client: pg.Client, round: number, failures: string[]): Promise<number> {
  const count = customers * messagesEach;
  const began = performance.now();
  let written = 0;
  const next = (): Shot => {
    written += 1;
    const body = JSON.stringify(message(round, written));
    const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(body) };
    return { path: "/webhooks/cloud", headers, body };
  };
  const volley = await load({ url, connections, requests: count, next, isRight: (status) => status === 200 });
  if (volley.wrong > 0) failures.push(`${volley.firstWrong} (${volley.wrong} times)`);
  const until = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await client.query({
      name: "waiting",
      text: "select exists (select from incoming_webhooks) as some",
    });
    if (!rows[0].some) break;
    if (performance.now() > until) {
      failures.push(`round ${round}: messages still waited after ${patienceMs} ms`);
      break;
    }
    await sleep(askMs);
  }
  return count / ((performance.now() - began) / 1_000);
}

const message = (round: number, n: number): object => {
  const from = String(59_170_000_000 + (n % customers));
  return aWebhook(1, {
    contacts: [{ wa_id: from, profile: { name: `Cliente ${n % customers}` } }],
    messages: [
      {
        from,
        id: `wamid.${round}-${n}`,
        timestamp: String(1_800_000_000 + round),
        type: "text",
        text: { body: `Hola, ¿tienen ${n}?` },
      },
    ],
  });
};

const msPerTick = 10;

/** Milliseconds of CPU of all connections to this database; 0 if the system has no `/proc`. */
async function databaseCpuMs(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pid from pg_stat_activity where datname = current_database()");
  const ticks = await Promise.all(
    rows.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      // After the name in parentheses, user and system time are the 12th and 13th field.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0) * msPerTick;
}
