import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import { aBusiness, aTemplate } from "../support/world.ts";
import type { Arena } from "./bench.ts";
import { load, type Shot } from "./load.ts";
import type { OwnProcess } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { rounded } from "./table.ts";

export const registerPath = "/chats/enviar/masivo/plantilla";

const firstContact = 1_000_000;
const firstPhone = 59_100_000_000;
const pollMs = 50;

export interface CampaignArenaSettings {
  readonly businesses: number;
  /** Per business. */
  readonly contacts: number;
  /** Per sender. */
  readonly messagesPerSecond: number;
}

export interface Outcome {
  readonly sent: number;
  readonly recipients: number;
  /** The number of messages in chats. */
  readonly messages: number;
  /** The time at which the last campaign finished, in milliseconds since 1970. */
  readonly finishedAt: number;
}

/** A message that the platform accepted. */
export interface Accepted {
  readonly at: string;
  readonly phoneNumberId: string;
}

/** Businesses with contacts, an API process, and workers on request. */
export class CampaignArena {
  private constructor(
    readonly stage: Stage,
    readonly database: Database,
    readonly api: OwnProcess,
    private readonly settings: CampaignArenaSettings,
  ) {}

  static async open(arena: Arena, settings: CampaignArenaSettings): Promise<CampaignArena> {
    const all = Array.from({ length: settings.businesses }, (_, n) => businessOf(n + 1));
    const stage = await arena.stage({ businesses: all });
    const limits = { poolSize: 2, statementTimeoutMs: 60_000, connectTimeoutMs: 5_000 };
    const database = Database.open({ ...limits, url: stage.databaseUrl, applicationName: "bench" }, () => {});
    const own = new CampaignArena(stage, database, await stage.service("dist", { ROLE: "api" }), settings);
    await own.rows("update senders set messages_per_second = $1", [settings.messagesPerSecond]);
    await own.rows(
      `insert into contacts (business_id, id, name, phone, platform_id)
       select business.id, $1::bigint + n, 'Cliente ' || n, ($2::bigint + n)::text, ($2::bigint + n)::text
       from businesses as business, generate_series(0, $3::int - 1) as n`,
      [firstContact, firstPhone, settings.contacts],
    );
    for (const table of ["contacts", "campaign_recipients"]) await own.rows(`analyze ${table}`);
    return own;
  }

  rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.database.rows<Row>({ name: "", text: sql }, values);
  }

  worker(): Promise<OwnProcess> {
    return this.stage.service("dist", { ROLE: "worker" });
  }

  /**
   * A request for a campaign to the first `count` contacts of the business.
   *
   * @param note - an extra field of each recipient that the campaign does not use
   */
  request(businessId: number, count: number, note?: string): Shot {
    const range = Array.from({ length: Math.min(count, this.settings.contacts) }, (_, n) => n);
    return {
      path: registerPath,
      headers: { "x-api-key": this.stage.appKey(businessId) },
      body: JSON.stringify({
        empresa_id: businessId,
        plantilla_id: templateOf(businessId),
        user_id: businessId * 100 + 1,
        nombre: "Promo",
        step: businessId * 100 + 1,
        contacts_id: range.map((n) => firstContact + n),
        contacts: range.map((n) => ({ nombre: `Cliente ${n}`, numero: String(firstPhone + n), pedido: n, note })),
        paramMapping: { "1": "nombre", "2": "pedido" },
      }),
    };
  }

  /** Registers the campaign. Returns the milliseconds until the answer. */
  async register(shot: Shot): Promise<number> {
    return this.post(shot, (text) => text === '{"success":true}');
  }

  /** Requests a preview. Returns the milliseconds until the answer. */
  async preview(shot: Shot): Promise<number> {
    return this.post({ ...shot, path: "/campaigns/preview" }, (text) => text.startsWith('{"state":'));
  }

  private async post(shot: Shot, isRightText: (text: string) => boolean): Promise<number> {
    const isRight = (status: number, text: string) => status === 200 && isRightText(text);
    const next = () => shot;
    const { latencies, firstWrong } = await load({ url: this.api.url, connections: 1, requests: 1, next, isRight });
    if (firstWrong !== undefined) throw new Error(`${shot.path}: ${firstWrong}`);
    return latencies[0] ?? Number.NaN;
  }

  /** Waits for the end of all campaigns and calls `meanwhile` between the polls. */
  async untilOver(limitMs: number, meanwhile: () => Promise<void> | void = () => {}): Promise<void> {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const [row] = await this.rows<{ open: number }>(
        "select count(*)::int as open from campaigns where state <> 'completed'",
      );
      await meanwhile();
      if (row?.open === 0) return;
      if (Date.now() > deadline) throw new Error(`${row?.open} campaigns are not over after ${limitMs} ms`);
      await sleep(pollMs);
    }
  }

  /** The result of all campaigns after the given one. */
  async outcome(after = 0): Promise<Outcome> {
    const [row] = await this.rows<{ sent: number; recipients: number; messages: number; finished_at: Date }>(
      `select (select count(*) from campaign_recipients where campaign_id > $1 and state = 'sent') as sent,
              (select count(*) from campaign_recipients where campaign_id > $1) as recipients,
              (select count(*) from messages where campaign_id > $1 and state = 'sent') as messages,
              (select max(finished_at) from campaigns where id > $1) as finished_at`,
      [after],
    );
    if (!row) throw new Error("the campaign had no result");
    return { ...row, finishedAt: row.finished_at.getTime() };
  }

  async lastCampaign(): Promise<number> {
    const [row] = await this.rows<{ id: number }>("select coalesce(max(id), 0) as id from campaigns");
    return row?.id ?? 0;
  }

  /** Messages that the platform accepted, oldest first, and the number of duplicates. */
  async accepted(): Promise<{ readonly messages: readonly Accepted[]; readonly duplicates: number }> {
    const { duplicates } = await this.stage.control<{ duplicates: number }>("GET", "/messages/count");
    return { messages: await this.stage.control<Accepted[]>("GET", "/messages?limit=100000"), duplicates };
  }

  /** Returns a function that builds requests to the platform itself, each with the next message of a campaign. */
  bareSend(businessId: number, count: () => number): () => Shot {
    const { sender } = businessOf(businessId);
    const path = `/v23.0/${sender.phoneNumberId}/messages`;
    const headers = { authorization: `Bearer ${sender.token}`, accept: "application/json" };
    return () => {
      const n = count();
      const reference = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
      const parameters = [`Cliente ${n}`, String(n)].map((text) => ({ type: "text", text }));
      return {
        path,
        headers,
        body: JSON.stringify({
          messaging_product: "whatsapp",
          recipient_type: "individual",
          to: String(firstPhone + n),
          biz_opaque_callback_data: reference,
          type: "template",
          template: {
            name: `template_${templateOf(businessId)}`,
            language: { code: "es" },
            components: [{ type: "body", parameters }],
          },
        }),
      };
    };
  }

  /** Stops the API process and closes the database connections. Workers go on. */
  async close(): Promise<void> {
    await this.api.kill();
    await this.database.close();
  }
}

const templateOf = (businessId: number): number => businessId * 100 + 1;

const businessOf = (id: number): BusinessFixture =>
  aBusiness(id, { templates: [aTemplate(templateOf(id))], threads: [] });

/** Returns an error unless every recipient got exactly one message and all messages are in chats. */
export function wrongWith(name: string, { sent, recipients, messages }: Outcome, duplicates: number): string[] {
  const isExact = sent === recipients && messages === recipients && duplicates === 0;
  return isExact ? [] : [`${name}: of ${recipients} ${sent} sent, ${messages} in chats, ${duplicates} sent twice`];
}

/** The process's peak RSS in MB. */
export async function highestRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]);
  if (Number.isNaN(kilobytes)) throw new Error("this system does not report the memory of a process");
  return rounded(kilobytes / 1024, 1);
}
