import { setTimeout as sleep } from "node:timers/promises";
import { io, type Socket } from "socket.io-client";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { Database, type Queries } from "../../src/infra/postgres/database.ts";
import type { OwnProcess } from "../bench/processes.ts";
import { openStage, type Stage } from "../bench/stage.ts";
import { type Answer, request } from "../support/http.ts";
import { testedFrom } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate } from "../support/world.ts";
import { businessId, templateId } from "./scenario.ts";

const business = aBusiness(businessId, { templates: [aTemplate(templateId)], threads: [] });
const firstContact = 1_000_000;
const tagId = 101;

/** These limits are short, so that the leases of a killed worker end soon. The sandbox answers well within them. */
const shortLeases = {
  CAMPAIGN_SEND_WITHIN_SECONDS: "1",
  CAMPAIGN_RECORD_WITHIN_SECONDS: "1",
  MESSAGING_PLATFORM_TIMEOUT_MS: "1000",
  // With Redis, processes notify each other of events. Without Redis, they poll.
  ...(process.env.REDIS_URL && { REDIS_URL: process.env.REDIS_URL }),
};

/** Milliseconds after a kill until the campaign must go on. Leases and the lock on periodic work expire earlier. */
const patienceMs = 30_000;

export interface CampaignStatus {
  readonly state: string;
  readonly pause_reason: string | null;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** A message that the platform accepted. */
interface Accepted {
  readonly to: string;
  readonly reference: string;
}

/** A running API, replaceable workers, a database and a platform. */
export class CampaignStage {
  private readonly workers = new Set<OwnProcess>();
  private readonly sockets: Socket[] = [];
  private campaigns = 0;

  private constructor(
    private readonly stage: Stage,
    private readonly database: Database,
    readonly api: OwnProcess,
    private readonly contacts: number,
  ) {}

  /** @param messagesPerSecond - the sender's rate. With a high rate, campaigns would end before all faults happen. */
  static async open(databaseUrl: string, contacts: number, messagesPerSecond: number): Promise<CampaignStage> {
    const stage = await openStage({ databaseUrl, businesses: [business], statusDelayMs: 5 });
    const settings = { url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000, connectTimeoutMs: 5_000 };
    const database = Database.open({ ...settings, applicationName: "faults" }, () => {});
    try {
      const api = await stage.service(testedFrom, { ROLE: "api", ...shortLeases });
      await stage.pointWebhooksAt(api);
      const own = new CampaignStage(stage, database, api, contacts);
      await own.prepare(messagesPerSecond);
      return own;
    } catch (error) {
      await Promise.all([database.close(), stage.close()]);
      throw error;
    }
  }

  private async prepare(messagesPerSecond: number): Promise<void> {
    await this.rows(`update senders set messages_per_second = ${messagesPerSecond}`);
    await this.rows(`insert into tags (business_id, id, name) values (${businessId}, ${tagId}, 'Promo')`);
    await this.rows(`
      insert into contacts (business_id, id, name, phone, platform_id)
      select ${businessId}, ${firstContact} + n, 'Cliente ' || n, (59100000000 + n)::text, (59100000000 + n)::text
      from generate_series(0, ${this.contacts - 1}) as n`);
  }

  async startWorker(): Promise<OwnProcess> {
    const worker = await this.stage.service(testedFrom, { ROLE: "worker", ...shortLeases });
    this.workers.add(worker);
    return worker;
  }

  startApi(): Promise<OwnProcess> {
    return this.stage.service(testedFrom, { ROLE: "api", ...shortLeases });
  }

  async kill(worker: OwnProcess): Promise<void> {
    this.workers.delete(worker);
    await worker.kill();
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => this.kill(worker)));
  }

  /** Connects as the administrator. Returns an array to which the name of each received event is added. */
  async listen(api: OwnProcess): Promise<readonly string[]> {
    const container = createContainer(readConfig({ ...this.stage.environment, LOG_LEVEL: "silent" }));
    const database = resolve(container, tokens.database);
    const { token } = await resolve(container, tokens.openSession)
      .forUser(101)
      .finally(() => database.close());
    const heard: string[] = [];
    const socket = io(`${api.url}/realtime`, { forceNew: true, transports: ["websocket"], auth: { token } });
    this.sockets.push(socket);
    socket.onAny((name: string) => void heard.push(name));
    await eventually(() => heard.includes("ready"), patienceMs);
    return heard;
  }

  /** Registers a campaign to `count` phone numbers that no other campaign uses. */
  async register(count: number): Promise<RunningCampaign> {
    this.campaigns += 1;
    const first = 59_170_000_000 + this.campaigns * 1_000_000;
    const range = Array.from({ length: count }, (_, n) => n);
    const answer = await this.call("POST", "/chats/enviar/masivo/plantilla", {
      empresa_id: businessId,
      plantilla_id: templateId,
      user_id: 101,
      nombre: `Promo ${this.campaigns}`,
      step: 101,
      tags: [tagId],
      contacts_id: range.map((n) => firstContact + n),
      contacts: range.map((n) => ({ nombre: `Cliente ${n}`, numero: String(first + n), pedido: n })),
      paramMapping: { "1": "nombre", "2": "pedido" },
    });
    if (answer.status !== 200) throw new Error(`not registered: ${answer.text}`);
    const phones = new Set(range.map((n) => String(first + n)));
    return new RunningCampaign(this, Number(answer.headers["x-campaign-id"]), phones);
  }

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { "x-api-key": this.stage.appKey(businessId) };
    return request(`${this.api.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  }

  control<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    return this.stage.control<Result>(method, path, body);
  }

  rows<Row extends object>(sql: string): Promise<Row[]> {
    return (this.database as Queries).rows<Row>({ name: "", text: sql }, []);
  }

  /** Sets the platform's rate limit of the sender; undefined removes it. */
  async limitPlatform(messagesPerSecond: number | undefined): Promise<void> {
    await this.control("POST", "/accounts", { ...sandboxAccountsOf([business])[0], messagesPerSecond });
  }

  /** Ends all database connections of the service, as a failover does. */
  async cutConnections(): Promise<void> {
    await this.rows(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'recado%'`);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.disconnect();
    await this.killAll();
    await this.api.kill();
    await this.stage.close();
    await this.database.close();
  }
}

export interface Verdict {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** A campaign, and the phone numbers that must get its message. */
export class RunningCampaign {
  private resent = 0;

  constructor(
    private readonly stage: CampaignStage,
    readonly id: number,
    private readonly phones: ReadonlySet<string>,
  ) {}

  async status(): Promise<CampaignStatus> {
    return (await this.stage.call("GET", `/campaigns/${this.id}`)).json as CampaignStatus;
  }

  async act(action: string): Promise<void> {
    const answer = await this.stage.call("POST", `/campaigns/${this.id}/${action}`);
    if (answer.status !== 200) throw new Error(`${action}: ${answer.text}`);
  }

  async accepted(): Promise<Accepted[]> {
    const all = await this.stage.control<Accepted[]>("GET", "/messages?limit=100000");
    return all.filter(({ to }) => this.phones.has(to));
  }

  /** The number of waiting recipients. This query is faster than the API. */
  async waiting(): Promise<number> {
    const [row] = await this.stage.rows<{ count: number }>(`
      select count(*)::int as count from campaign_recipients
      where campaign_id = ${this.id} and state in ('queued', 'sending')`);
    return row?.count ?? 0;
  }

  /** Waits until more messages are sent, and then `thenMs` longer. */
  async inTheMiddle(thenMs: number): Promise<void> {
    const before = await this.waiting();
    await eventually(async () => before === 0 || (await this.waiting()) < before, patienceMs);
    // The fault must hit a random moment.
    await sleep(thenMs);
  }

  /** Waits until no process is sending, everything is recorded, and the platform has delivered all statuses. */
  async quiet(deadlineMs: number): Promise<void> {
    await eventually(async () => {
      const [row] = await this.stage.rows<{ open: number; webhooks: number }>(`
        select (select count(*)::int from campaign_recipients
                where campaign_id = ${this.id} and (state in ('queued', 'sending') or lease_until is not null)) as open,
               (select count(*)::int from incoming_webhooks) as webhooks`);
      const { pending } = await this.stage.control<{ pending: number }>("GET", "/webhooks");
      return row?.open === 0 && row.webhooks === 0 && pending === 0;
    }, deadlineMs);
  }

  /**
   * Waits for all statuses, and then sends again to the recipients whose state is `unknown`, as an operator would.
   * Repeats this until no such recipient is left and the campaign is completed.
   */
  async settle(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      await this.quiet(Math.max(0, deadline - performance.now()));
      const { state, counts } = await this.status();
      if (!counts.unknown) {
        if (state !== "completed") await this.completed(deadline - performance.now());
        return;
      }
      this.resent += counts.unknown;
      await this.act("resend-unknown");
    }
  }

  private async completed(deadlineMs: number): Promise<void> {
    await eventually(async () => (await this.status()).state === "completed", Math.max(0, deadlineMs));
  }

  /** Checks that every recipient got the message once, and that the stored rows say so. */
  async verdict(): Promise<Verdict> {
    const { stage, id, phones } = this;
    const accepted = await this.accepted();
    const { counts, total } = await this.status();
    const messages = await stage.rows<{ reference: string; state: string; announced: number }>(`
      with announced as materialized (
        select business_id, (payload->'message'->>'id')::bigint as id, count(*)::int as times
        from realtime_events where name = 'message:new' group by 1, 2
      )
      select message.reference::text as reference, message.state, coalesce(announced.times, 0) as announced
      from messages as message left join announced using (business_id, id) where message.campaign_id = ${id}`);
    const [funnel] = await stage.rows<{ sent: number; tagged: number }>(`
      select (select count(*)::int from funnel_events where campaign_id = ${id} and type = 'campaign_sent') as sent,
             (select max(count)::int from (select count(*) from funnel_events where type = 'assigned_tag'
              group by chat_id, tag_id) as tagged) as tagged`);

    const [tries] = await stage.rows<{ refused: number }>(`
      select sum(setbacks + own_setbacks + held_back::int)::int as refused from campaign_recipients where campaign_id = ${id}`);

    const times = new Map<string, number>();
    for (const { to } of accepted) times.set(to, (times.get(to) ?? 0) + 1);
    const twice = [...times.values()].filter((count) => count > 1).length;
    const lost = [...phones].filter((phone) => !times.has(phone)).length;
    const references = new Set(accepted.map(({ reference }) => reference));
    const ofAccepted = messages.filter(({ reference }) => references.has(reference));
    const unsettled = ofAccepted.filter(({ state }) => state !== "read").length;
    const wrong = (what: string, count: number) => (count === 0 ? [] : [`campaign ${id}: ${count} ${what}`]);
    return {
      figures: {
        recipients: phones.size,
        accepted: accepted.length,
        distinct: times.size,
        twice,
        lost,
        refused: tries?.refused ?? 0,
        resent: this.resent,
        "left unknown": messages.length - ofAccepted.length,
      },
      violations: [
        ...wrong("recipients got it twice", twice),
        ...wrong("recipients got nothing", lost),
        ...wrong("recipients are not settled", total - (counts.read ?? 0)),
        ...wrong("accepted messages are not in their chats", references.size - ofAccepted.length),
        ...wrong("accepted messages are not settled in their chats", unsettled),
        ...wrong(
          "messages were not announced exactly once",
          messages.filter(({ announced }) => announced !== 1).length,
        ),
        ...wrong("funnel events are missing or too many", Math.abs((funnel?.sent ?? 0) - phones.size)),
        ...wrong("repeated tags in one chat", (funnel?.tagged ?? 1) - 1),
      ],
    };
  }
}
