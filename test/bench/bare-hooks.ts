import { createHmac } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Tells the bare loop what to deliver. The next `BareDelivery` replaces this one. */
export interface BareDelivery {
  readonly databaseUrl: string;
  readonly businessId: number;
  /** Only events with a number above this one are delivered. */
  readonly after: number;
  readonly urls: readonly string[];
  /** Concurrent requests to each address. */
  readonly atOnce: number;
}

interface EventRow {
  readonly number: number;
  readonly payload: object;
  readonly at: Date;
}

const read = {
  name: "bare-hooks",
  text: `select number::int, payload, at from realtime_events
         where business_id = $1 and number > $2 and name = 'message:new' order by number limit 500`,
};
/** Milliseconds between two polls. */
const lookMs = 10;
/** The time limit of one request in milliseconds. */
const timeoutMs = 15_000;
const secret = Buffer.alloc(32, 7);

/** Sends to one address with limited concurrency, in any order and without retries. */
class Line {
  private readonly waiting: { readonly id: string; readonly body: string }[] = [];
  private running = 0;

  constructor(
    private readonly url: URL,
    private readonly atOnce: number,
    private readonly agent: Agent,
  ) {}

  add(id: string, body: string): void {
    this.waiting.push({ id, body });
    this.begin();
  }

  private begin(): void {
    while (this.running < this.atOnce) {
      const next = this.waiting.shift();
      if (!next) return;
      this.running += 1;
      this.post(next.id, next.body)
        .catch(() => {})
        .finally(() => {
          this.running -= 1;
          this.begin();
        });
    }
  }

  private async post(id: string, body: string): Promise<void> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
    const { hostname, port, pathname } = this.url;
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request({ agent: this.agent, hostname, port, path: pathname, method: "POST", headers, signal });
    outgoing.end(body);
    const [response] = await once(outgoing, "response");
    await text(response);
  }
}

async function deliver(asked: BareDelivery, isOver: () => boolean): Promise<void> {
  const client = new pg.Client({ connectionString: asked.databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  const agent = new Agent({ keepAlive: true, scheduling: "lifo" });
  const lines = asked.urls.map((url) => new Line(new URL(url), asked.atOnce, agent));
  for (let after = asked.after; lines.length > 0 && !isOver(); ) {
    const { rows } = await client.query<EventRow>({ ...read, values: [asked.businessId, after] });
    for (const { number, payload, at } of rows) {
      const body = JSON.stringify({ type: "message.new", timestamp: at.toISOString(), data: payload });
      for (const line of lines) line.add(`evt_${asked.businessId}_${number}`, body);
      after = number;
    }
    if (rows.length === 0) await sleep(lookMs);
  }
  await client.end();
  agent.destroy();
}

/** The program: prints its address, reads rows and posts signed bodies without storing anything. */
function serve(): void {
  let begun = 0;
  let under: Promise<void> = Promise.resolve();
  const server = createServer(async (incoming, response) => {
    const asked = (await json(incoming)) as BareDelivery;
    begun += 1;
    const own = begun;
    await under;
    under = deliver(asked, () => own !== begun);
    response.writeHead(200).end("{}");
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  });
}

if (process.argv[1]?.endsWith("bare-hooks.ts")) serve();
