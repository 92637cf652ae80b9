import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { formIn, signaturesOf } from "../../src/channels/provider-b/form.ts";
import { provenBy } from "../../src/channels/qr/instance-proof.ts";
import { qrChannel } from "../../src/kernel/channels.ts";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { onEveryChannel, providers } from "../support/channels.ts";
import { appSecret } from "../support/world.ts";
import type { BareHandler } from "./bare.ts";
import type { Arena, Bench } from "./bench.ts";
import { addresses, businessId, ChannelWebhooks, providerBToken, publicUrl, secrets } from "./channel-webhooks.ts";
import { load } from "./load.ts";
import { openLoop } from "./open-loop.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded } from "./table.ts";

const perSecond = 2_000;
/** The duration, which `SECONDS` overrides for a quick try. */
const seconds = Number(process.env.SECONDS || 30);
/** Milliseconds until all webhooks must be processed. */
const patienceMs = 60_000;
const askMs = 25;
const connections = 32;
/** Rounds per server. The service and the bare handler take turns. */
const rounds = 6;
const roundMs = 1_500;
const aims = { p99Ms: 50, ratio: 0.6 };
/** The allowed growth in MB after garbage collection. */
const mostGrowth = { heapUsed: 10, rss: 96 };

/** Measures how fast webhooks of all channels are answered, and how many can be answered per second. */
const bench: Bench = {
  about: `webhooks of five channels: ${perSecond} a second for ${seconds} s, and the most beside a handler that verifies and inserts`,
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [onEveryChannel(businessId, { threads: [] })] });
    const environment = { PUBLIC_URL: publicUrl };
    const { service, bare, stop } = await stage.contestants("channels", { environment });
    const client = new pg.Client({ connectionString: stage.databaseUrl, connectionTimeoutMillis: 10_000 });
    await client.connect();
    const found = await client.query("select id::int as id from senders where provider = $1", [qrChannel]);
    const field: Field = {
      arena,
      service,
      bare,
      client,
      webhooks: new ChannelWebhooks(found.rows[0].id),
      failures: [],
    };
    const steady = await stayEven(field);
    const bareSteady = await stayEvenBare(field);
    const most = await findMost(field);
    await client.end();
    await stop();
    const figures = { ...steady, ...most, bare: bareSteady };
    // On a slow machine, the bare handler's own p99 is the limit.
    const mostP99Ms = Math.max(aims.p99Ms, bareSteady.p99Ms);
    const { p50Ms, p99Ms, processedMs, growth } = steady;
    return {
      tables: [
        {
          title: `Webhooks of five channels, ${perSecond} a second for ${seconds} s`,
          columns: [
            "",
            "answered",
            "p50 ms",
            "p99 ms",
            "worst ms",
            "worked off after ms",
            "heap MB more",
            "RSS MB more",
          ],
          rows: [
            ["bare", bareSteady.answered, bareSteady.p50Ms, bareSteady.p99Ms, bareSteady.worstMs, "", "", ""],
            ["service", steady.answered, p50Ms, p99Ms, steady.worstMs, processedMs, growth.heapUsed, growth.rss],
          ],
        },
        {
          title: "The most that is taken, each proven and stored before it is answered",
          columns: ["", "a second (median of rounds)", "ratio (worst to best round)"],
          rows: [
            ["bare", quantile(most.bareRates, 0.5), ""],
            [
              "service",
              quantile(most.rates, 0.5),
              `${most.ratio} (${Math.min(...most.ratios)} to ${Math.max(...most.ratios)})`,
            ],
          ],
        },
      ],
      figures,
      failures: field.failures,
      belowAim: [
        ...(p99Ms <= mostP99Ms ? [] : [`channels: p99 ${p99Ms} ms, above the aim of ${mostP99Ms} ms`]),
        ...(most.ratio >= aims.ratio
          ? []
          : [`channels: ${most.ratio} of the bare limit, below the aim of ${aims.ratio}`]),
      ],
    };
  },
};
export default bench;

interface Field {
  readonly arena: Arena;
  readonly service: OwnProcess;
  readonly bare: OwnProcess;
  readonly client: pg.Client;
  readonly webhooks: ChannelWebhooks;
  readonly failures: string[];
}

async function stayEven({ arena, service, client, webhooks, failures }: Field) {
  arena.say("webhooks: warming up");
  await openLoop({ url: service.url, perSecond, seconds: Math.min(10, seconds), next: webhooks.next });
  await allProcessed(client, failures);
  const before = await service.memory();
  const inBefore = await stored(client);
  arena.say(`webhooks: ${perSecond} a second`);
  const { latencies, wrong } = await openLoop({ url: service.url, perSecond, seconds, next: webhooks.next });
  const sent = perSecond * seconds;
  if (latencies.length !== sent) failures.push(`channels: ${JSON.stringify(wrong)} by status of ${sent} webhooks`);
  const processedMs = rounded(await allProcessed(client, failures));
  const inAfter = await stored(client);
  if (inAfter - inBefore !== sent)
    failures.push(`channels: ${sent} messages came in, ${inAfter - inBefore} are stored`);
  const after = await service.memory();
  const growth = {
    heapUsed: rounded((after.heapUsed - before.heapUsed) / 2 ** 20, 1),
    rss: rounded((after.rss - before.rss) / 2 ** 20, 1),
  };
  for (const kind of ["heapUsed", "rss"] as const) {
    if (growth[kind] > mostGrowth[kind]) failures.push(`channels: ${kind} grew by ${growth[kind]} MB`);
  }
  return {
    answered: latencies.length,
    ...spreadOf(latencies),
    processedMs,
    growth,
  };
}

/** Measures the bare handler at the same rate, for a third of the time. */
async function stayEvenBare({ arena, bare, webhooks }: Field) {
  const { next } = webhooks;
  await openLoop({ url: bare.url, perSecond, seconds: 5, next });
  arena.say(`bare handler: ${perSecond} a second`);
  const { latencies } = await openLoop({ url: bare.url, perSecond, seconds: Math.ceil(seconds / 3), next });
  return { answered: latencies.length, ...spreadOf(latencies) };
}

const spreadOf = (latencies: readonly number[]) => ({
  p50Ms: rounded(quantile(latencies, 0.5), 1),
  p99Ms: rounded(quantile(latencies, 0.99), 1),
  worstMs: rounded(quantile(latencies, 1), 1),
});

/** Each round ends when all webhooks are processed, since waiting webhooks would slow the bare handler. */
async function findMost({ arena, service, bare, client, webhooks, failures }: Field) {
  arena.say(`webhooks: the most, ${rounds} rounds of each`);
  const rates: number[] = [];
  const bareRates: number[] = [];
  const volley = async ({ url }: OwnProcess, ms: number): Promise<number> => {
    const isRight = (status: number) => status === 200;
    const {
      latencies,
      wrong,
      firstWrong,
      seconds: took,
    } = await load({ url, connections, ms, next: webhooks.next, isRight });
    if (wrong > 0) failures.push(`channels: ${firstWrong} (${wrong} times)`);
    await allProcessed(client, failures);
    return rounded(latencies.length / took);
  };
  await volley(bare, 5_000);
  for (let round = 0; round < rounds; round += 1) {
    rates.push(await volley(service, roundMs));
    bareRates.push(await volley(bare, roundMs));
  }
  const ratios = rates.map((rate, round) => rounded(rate / (bareRates[round] ?? 1), 3));
  return { rates, bareRates, ratios, ratio: quantile(ratios, 0.5) };
}

/** @returns milliseconds until all webhooks are processed */
async function allProcessed(client: pg.Client, failures: string[]): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { rows } = await client.query({
      name: "waiting",
      text: "select exists (select from incoming_webhooks where gave_up_at is null) as some",
    });
    const tookMs = performance.now() - began;
    if (!rows[0].some) return tookMs;
    if (tookMs > patienceMs) {
      failures.push(`channels: webhooks still waited after ${patienceMs} ms`);
      return tookMs;
    }
    await sleep(askMs);
  }
}

async function stored(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select count(*)::int as messages from messages where direction = 'in'");
  return rows[0].messages;
}

/** Verifies the platform's proof, stores the body as given up so that no worker processes it, and answers. */
export const bare: BareHandler = async ({ query }) => {
  const keep = {
    name: "bare-webhooks",
    text: "insert into incoming_webhooks (payload, provider, platform_id, gave_up_at) values ($1, $2, $3, now())",
  };
  return async (body, path, headers) => {
    const channel = path.split("/")[2] ?? "";
    if (!isProven(channel, body, path, headers)) throw new Error("no proof");
    JSON.parse(channel === "provider-b" ? "{}" : body);
    await query(keep, [body, providers[channel as CustomerChannel], null]);
    return '{"success":true}';
  };
};

function isProven(
  channel: string,
  body: string,
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  if (channel === "qr") return provenBy(secrets, String(headers.authorization), addresses.qr) !== null;
  if (channel === "provider-b") {
    const form = formIn(Buffer.from(body));
    const given = String(headers["x-twilio-signature"]);
    return form !== null && signaturesOf(providerBToken, `${publicUrl}${path}`, form).includes(given);
  }
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  return headers["x-hub-signature-256"] === `sha256=${signature}`;
}
