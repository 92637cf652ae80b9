import { Database, type Queries } from "../../src/infra/postgres/database.ts";
import { load, type Shot } from "../bench/load.ts";
import type { OwnProcess } from "../bench/processes.ts";
import { openStage, type Stage } from "../bench/stage.ts";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { testedFrom } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, aWebhook, signatureOf } from "../support/world.ts";
import { Endpoints, type Part } from "./hook-receivers.ts";
import { businessId } from "./scenario.ts";

const customers = 40;
const orders = 20;
/** The number of parallel requests that create messages. The same number of parallel requests change orders. */
const connections = 6;
/** Milliseconds until all events must be logged. */
const loggedMs = 60_000;

/** A logged event for webhooks. */
export interface Logged {
  readonly number: number;
  readonly type: string;
}

/** An API and a worker on a database, and a business with webhook endpoints. The worker can be killed. */
export class HookStage {
  private written = 0;
  private changed = 0;
  private orderIds: readonly number[] = [];

  private constructor(
    private readonly stage: Stage,
    private readonly database: Database,
    private readonly api: OwnProcess,
    private worker: OwnProcess,
    readonly endpoints: Endpoints,
  ) {}

  static async open(databaseUrl: string, parts: readonly Part[]): Promise<HookStage> {
    const business = aBusiness(businessId, { threads: [aThread(businessId * 100 + 1)] });
    const stage = await openStage({ databaseUrl, businesses: [business] });
    const settings = { url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000, connectTimeoutMs: 5_000 };
    const database = Database.open({ ...settings, applicationName: "faults" }, () => {});
    const endpoints = await Endpoints.start(parts);
    try {
      const [api, worker] = await Promise.all([startOn(stage, "api"), startOn(stage, "worker")]);
      const own = new HookStage(stage, database, api, worker, endpoints);
      await own.prepare();
      return own;
    } catch (error) {
      await Promise.all([database.close(), stage.close(), endpoints.close()]);
      throw error;
    }
  }

  /** Creates events: one in four is a change of an order, the others are messages. Resolves when all are logged. */
  async happen(events: number): Promise<void> {
    const changes = Math.floor(events / 4);
    const volleys = await Promise.all([
      this.shoot(events - changes, () => this.aMessage()),
      this.shoot(changes, () => this.aChange()),
    ]);
    const wrong = volleys.find((volley) => volley.wrong > 0)?.firstWrong;
    if (wrong !== undefined) throw new Error(`an event could not be created: ${wrong}`);
    const all = this.written + this.changed;
    await eventually(async () => {
      const [found] = await this.rows<{ count: number }>(
        "select count(*)::integer as count from realtime_events where name in ('message:new', 'order:changed')",
      );
      return found?.count === all;
    }, loggedMs);
  }

  logged(): Promise<Logged[]> {
    return this.rows<Logged>(`
      select number, case name when 'message:new' then 'message.new' else 'order.changed' end as type
      from realtime_events where name in ('message:new', 'order:changed') order by number`);
  }

  /** Kills the worker and starts another one. Ends the leases, so that the new worker need not wait. */
  async killWorker(): Promise<void> {
    await this.worker.kill();
    await this.rows("update webhook_progress set lease_until = now()");
    this.worker = await startOn(this.stage, "worker");
  }

  /** Makes the retries of an endpoint due some seconds earlier. */
  async advanceRetries(webhookId: number, seconds: number): Promise<void> {
    await this.rows(`
      update webhook_deliveries set due_at = due_at - interval '${seconds} seconds'
      where webhook_id = ${webhookId} and state = 'waiting' and failures > 0`);
    await this.rows("notify deliveries_due");
  }

  /** Sends a request with an App Key that has the scope `admin`. Throws for an error status. */
  async administer<Result>(method: string, path: string, body?: object): Promise<Result> {
    const headers = { "x-api-key": this.stage.appKey(businessId) };
    const answer = await request(this.api.url + path, { method, headers, body });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.json;
  }

  rows<Row extends object>(sql: string): Promise<Row[]> {
    return (this.database as Queries).rows<Row>({ name: "", text: sql }, []);
  }

  async close(): Promise<void> {
    await Promise.all([this.api.kill(), this.worker.kill()]);
    await this.endpoints.close();
    await this.stage.close();
    await this.database.close();
  }

  private async prepare(): Promise<void> {
    await this.rows("update app_keys set scopes = '{read,send,orders,admin}'");
    const world = {
      rows: <Row extends object>(sql: string, values: readonly unknown[] = []) =>
        (this.database as Queries).rows<Row>({ name: "", text: sql }, values),
    };
    await openShop(world, businessId);
    const ids: number[] = [];
    for (let n = 0; n < orders; n += 1) {
      const id = await addOrder(world, businessId);
      await addLine(world, businessId, id);
      ids.push(id);
    }
    this.orderIds = ids;
    for (const endpoint of this.endpoints.all) {
      const { url, part } = endpoint;
      const body = { url, events: part.events };
      const made = await this.administer<{ id: number; secret: string }>("POST", "/admin/webhooks", body);
      endpoint.opens(made.id, made.secret);
    }
  }

  private shoot(requests: number, next: () => Shot) {
    return load({ url: this.api.url, connections, requests, next, isRight: (status) => status === 200 });
  }

  private aMessage(): Shot {
    this.written += 1;
    const from = String(59_170_100_000 + (this.written % customers));
    const body = JSON.stringify(
      aWebhook(businessId, {
        contacts: [{ wa_id: from, profile: { name: "Carla" } }],
        messages: [
          {
            from,
            id: `wamid.size-${this.written}`,
            timestamp: String(1_800_000_000 + this.written),
            type: "text",
            text: { body: `Hola ${this.written}` },
          },
        ],
      }),
    );
    const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(body) };
    return { path: "/webhooks/cloud", headers, body };
  }

  private aChange(): Shot {
    this.changed += 1;
    const orderId = this.orderIds[this.changed % this.orderIds.length];
    const headers = { "content-type": "application/json", "x-api-key": this.stage.appKey(businessId) };
    const body = JSON.stringify({ orderId, raw_adress: `Calle ${this.changed}` });
    return { method: "PUT", path: "/catalogs/order/update", headers, body };
  }
}

/** The settings allow webhook receivers on this machine. */
const startOn = (stage: Stage, role: string): Promise<OwnProcess> =>
  stage.service(testedFrom, { ROLE: role, NODE_ENV: "test", ALLOW_PRIVATE_WEBHOOK_URLS: "true" });
