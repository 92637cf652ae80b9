import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { request } from "../support/http.ts";
import { aBusiness, aWebhook, signatureOf } from "../support/world.ts";
import type { BareDelivery } from "./bare-hooks.ts";
import type { Bench } from "./bench.ts";
import type { Manner, Manners, Taken } from "./hook-receivers.ts";
import { load, type Shot } from "./load.ts";
import { type OwnProcess, startProgram } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { quantile, rounded } from "./table.ts";

const businessId = 1;
const receivers = 20;
const customers = 200;
/** The behaviour of the first endpoints while delays are measured. The other endpoints work. */
const bad: readonly Manner[] = ["hangs", "fails", "gone", "redirects"];
/** The number of events that each endpoint receives in a round that measures throughput. */
const backlog = 1_000;
/** A round that measures delays sends `perSecond` events per second for `delaySeconds`. */
const perSecond = 20;
const delaySeconds = 10;
/** Rounds of the service. They alternate with rounds of the bare loop. */
const rounds = 3;
/** Concurrent requests of the bare loop per endpoint. The service has the same limit. */
const atOnce = 8;
const patienceMs = 120_000;
const lookMs = 25;
const aims = { p99Ms: 2_000 };

const program = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Measures the throughput of outgoing webhooks, and the delay of webhooks while some endpoints fail. */
const bench: Bench = {
  about: `outgoing webhooks: ${receivers} endpoints of one business, beside a loop that posts signed rows`,
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [aBusiness(businessId, { threads: [] })] });
    // Allows receivers on this machine.
    const lax = { NODE_ENV: "test", ALLOW_PRIVATE_WEBHOOK_URLS: "true" };
    const api = await stage.service("dist", { ...lax, ROLE: "api" });
    const worker = await stage.service("dist", { ...lax, ROLE: "worker" });
    const told = await startPrograms();
    const client = new pg.Client({ connectionString: stage.databaseUrl, connectionTimeoutMillis: 10_000 });
    await client.connect();
    const field = new Field(stage, api, client, told);
    try {
      arena.say(`webhooks: ${backlog} events for ${receivers} endpoints, ${rounds} rounds of each`);
      await field.write(backlog, { connections: 16 });
      await field.makeHooks();
      const rates = { service: [] as number[], bare: [] as number[] };
      for (let round = 0; round <= rounds; round += 1) {
        const pair = { service: await field.catchUp("service"), bare: await field.catchUp("bare") };
        // The first round is a warm-up.
        if (round === 0) continue;
        rates.service.push(pair.service);
        rates.bare.push(pair.bare);
      }
      const delays = { service: [] as Taken[], bare: [] as Taken[] };
      for (let round = 1; round <= rounds; round += 1) {
        arena.say(`webhooks: delays among ${bad.length} bad endpoints, round ${round} of ${rounds}`);
        for (const kind of ["bare", "service"] as const) delays[kind].push(await field.delaysOf(kind));
      }
      return resultOf(rates, delays, field.failures);
    } finally {
      await client.end();
      await Promise.all([api, worker, told.receivers, told.bare].map((each) => each.kill()));
    }
  },
};
export default bench;

interface Programs {
  readonly receivers: OwnProcess;
  readonly bare: OwnProcess;
}

async function startPrograms(): Promise<Programs> {
  return {
    receivers: await startProgram(program("hook-receivers.ts"), []),
    bare: await startProgram(program("bare-hooks.ts"), []),
  };
}

/** A business with endpoints, and the bare loop with the same receivers. */
class Field {
  readonly failures: string[] = [];
  private written = 0;

  constructor(
    private readonly stage: Stage,
    private readonly api: OwnProcess,
    private readonly client: pg.Client,
    private readonly programs: Programs,
  ) {}

  /** Sends messages of customers to the service. Resolves when the events of all messages are logged. */
  async write(count: number, how: { readonly connections: number; readonly perSecond?: number }): Promise<void> {
    const until = this.written + count;
    const next = (): Shot => {
      this.written += 1;
      const body = JSON.stringify(message(this.written));
      const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(body) };
      return { path: "/webhooks/cloud", headers, body };
    };
    const shots = { url: this.api.url, next, isRight: (status: number) => status === 200 };
    if (how.perSecond === undefined) {
      await load({ ...shots, connections: how.connections, requests: count });
    } else {
      const began = performance.now();
      for (let n = 0; n < count; n += 1) {
        await sleep(Math.max(0, began + (n * 1_000) / how.perSecond - performance.now()));
        await load({ ...shots, connections: 1, requests: 1 });
      }
    }
    await this.until("messages are logged", async () => (await this.logged()) >= until);
  }

  async makeHooks(): Promise<void> {
    await this.client.query("update app_keys set scopes = '{read,send,orders,admin}'");
    const headers = { "x-api-key": this.stage.appKey(businessId) };
    for (const url of this.urls()) {
      const body = { url, events: ["message.new"] };
      const made = await request(`${this.api.url}/admin/webhooks`, { method: "POST", headers, body });
      if (made.status !== 201) throw new Error(made.text);
    }
  }

  /** Delivers all logged events while all endpoints work. Returns the deliveries per second. */
  async catchUp(kind: "service" | "bare"): Promise<number> {
    const wanted = receivers * (await this.logged());
    await this.behave(Array.from({ length: receivers }, () => "takes"));
    const began = performance.now();
    if (kind === "service") await this.begin(0);
    else await this.tellBare(0, this.urls());
    await this.until(`${wanted} deliveries of the ${kind} loop`, async () => (await this.count()) >= wanted);
    const rate = wanted / ((performance.now() - began) / 1_000);
    await this.rest();
    this.judge(kind, wanted, await this.taken());
    return rounded(rate);
  }

  /** Measures the delay of deliveries to working endpoints while the `bad` endpoints fail. */
  async delaysOf(kind: "service" | "bare"): Promise<Taken> {
    await this.behave(Array.from({ length: receivers }, (_, place) => bad[place] ?? "takes"));
    const after = await this.lastNumber();
    if (kind === "service") await this.begin(after);
    else await this.tellBare(after, this.urls());
    const wanted = perSecond * delaySeconds * (receivers - bad.length);
    await this.write(perSecond * delaySeconds, { connections: 1, perSecond });
    await this.until(`${wanted} deliveries of the ${kind} loop`, async () => (await this.count()) >= wanted);
    await this.rest();
    const taken = await this.taken();
    this.judge(kind, wanted, taken);
    return taken;
  }

  /** Enables all endpoints. They receive all events with numbers above `after`, even if they received them before. */
  private async begin(after: number): Promise<void> {
    await this.client.query("delete from webhook_events");
    await this.client.query("update webhook_progress set reached = $1, lease = null, lease_until = null", [after]);
    await this.client.query("update webhooks set disabled = false");
    await this.client.query("notify deliveries_due");
  }

  private async rest(): Promise<void> {
    await this.tellBare(0, []);
    await this.client.query("update webhooks set disabled = true");
  }

  private judge(kind: string, wanted: number, { count, repeats }: Taken): void {
    if (count !== wanted || repeats > 0) {
      this.failures.push(`webhooks: of ${wanted} deliveries of the ${kind} loop ${count} came, and ${repeats} again`);
    }
  }

  private urls(): string[] {
    return Array.from({ length: receivers }, (_, place) => `${this.programs.receivers.url}/hook/${place}`);
  }

  private tellBare(after: number, urls: readonly string[]): Promise<unknown> {
    const asked: BareDelivery = { databaseUrl: this.stage.databaseUrl, businessId, after, urls, atOnce };
    return request(this.programs.bare.url, { method: "POST", body: asked });
  }

  private behave(manners: readonly Manner[]): Promise<unknown> {
    const body: Manners = { manners };
    return request(`${this.programs.receivers.url}/manners`, { method: "POST", body });
  }

  private async count(): Promise<number> {
    return (await request(`${this.programs.receivers.url}/count`)).json.count;
  }

  private async taken(): Promise<Taken> {
    return (await request(`${this.programs.receivers.url}/taken`)).json;
  }

  private async logged(): Promise<number> {
    const { rows } = await this.client.query(
      "select count(*)::int as count from realtime_events where name = 'message:new'",
    );
    return rows[0].count;
  }

  private async lastNumber(): Promise<number> {
    const { rows } = await this.client.query("select max(number)::int as number from realtime_events");
    return rows[0].number;
  }

  private async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) {
        this.failures.push(`webhooks: ${what}: not within ${patienceMs} ms`);
        return;
      }
      await sleep(lookMs);
    }
  }
}

const message = (n: number): object => {
  const from = String(59_170_000_000 + (n % customers));
  return aWebhook(businessId, {
    contacts: [{ wa_id: from, profile: { name: `Cliente ${n % customers}` } }],
    messages: [
      {
        from,
        id: `wamid.hooks-${n}`,
        timestamp: String(1_800_000_000 + n),
        type: "text",
        text: { body: `Hola, ¿tienen ${n}?` },
      },
    ],
  });
};

type Sides<Figure> = Readonly<Record<"service" | "bare", readonly Figure[]>>;

function resultOf(rates: Sides<number>, delays: Sides<Taken>, failures: readonly string[]) {
  const middle = (of: readonly number[]) => quantile(of, 0.5);
  const side = (kind: "service" | "bare") => ({
    perSecond: middle(rates[kind]),
    p50Ms: rounded(middle(delays[kind].map(({ p50 }) => p50))),
    p99Ms: rounded(middle(delays[kind].map(({ p99 }) => p99))),
    worstP99Ms: rounded(Math.max(...delays[kind].map(({ p99 }) => p99))),
  });
  const seen = { service: side("service"), bare: side("bare") };
  const ratio = {
    perSecond: rounded(middle(rates.service.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN))), 2),
    p50: rounded(seen.service.p50Ms / seen.bare.p50Ms, 1),
    p99: rounded(seen.service.p99Ms / seen.bare.p99Ms, 1),
  };
  const row = (name: string, { perSecond: rate, p50Ms, p99Ms, worstP99Ms }: typeof seen.bare) => [
    name,
    rate,
    p50Ms,
    p99Ms,
    worstP99Ms,
  ];
  return {
    tables: [
      {
        title:
          `Webhooks to ${receivers} endpoints; delays at ${perSecond} events a second, from the transaction on, of the ` +
          `${receivers - bad.length} that are well among ${bad.length} bad ones; aim: p99 under ${aims.p99Ms} ms`,
        columns: ["", "deliveries a second", "p50 ms", "p99 ms", "worst p99 ms"],
        rows: [
          row("the service", seen.service),
          row("the bare loop", seen.bare),
          ["ratio", ratio.perSecond, ratio.p50, ratio.p99, ""],
        ],
      },
    ],
    figures: { seen, ratio, rates, delays, aims },
    failures,
    belowAim:
      seen.service.worstP99Ms < aims.p99Ms
        ? []
        : [`webhooks: p99 of the delay is ${seen.service.worstP99Ms} ms among bad endpoints`],
  };
}
