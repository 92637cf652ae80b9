import { createSocket } from "node:dgram";
import type { Container } from "inversify";
import pg from "pg";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { numberedTables } from "../../src/fixtures/businesses/insert.ts";
import { loadOrders } from "../bench/order-data.ts";
import { openStage, type Stage } from "../bench/stage.ts";
import { aBusiness, aTemplate } from "../support/world.ts";

/** The ids of two businesses. The attacker's requests must not slow down the victim's requests. */
export const victim = 1;
export const attacker = 2;

export const adminOf = (businessId: number): number => businessId * 100 + 1;
export const agentOf = (businessId: number): number => businessId * 100 + 2;
export const templateOf = (businessId: number): number => businessId * 100 + 1;
export const mediaTemplateOf = (businessId: number): number => businessId * 100 + 2;
/** The users' e-mail addresses in the fixtures. */
export const emailOf = (businessId: number, who: "admin" | "agent"): string => `${who}@b${businessId}.test`;
export const password = "a password that nobody guesses";

/** Users of the victim who only listen to events. */
export const listeners = Array.from({ length: 40 }, (_, n) => 150 + n);

const firstContact = 2_000_000;
const firstFreeId = 100_000_000;
const firstPhone = 59_200_000_000;

export interface Size {
  /** The number of businesses besides the victim and the attacker. Only the row `twice` uses these businesses. */
  readonly others: number;
  /** The orders of the victim and the attacker together. */
  readonly orders: number;
  /** The attacker's contacts, for campaigns. */
  readonly contacts: number;
  /** The number of the attacker's sales and quotations, over one year. */
  readonly records: number;
}

/** A second address for clients, besides 127.0.0.1. Some systems do not have it. */
export const elsewhere = "127.0.0.2";

/** A database with businesses, a sandbox, and credentials for each business. */
export class Arena {
  /** Ids of the businesses besides the victim and the attacker. */
  readonly others: readonly number[];

  private constructor(
    readonly stage: Stage,
    private readonly from: "src" | "dist",
    private readonly container: Container,
    readonly size: Size,
    /** The address of clients that do not attack; undefined if this machine does not have it. */
    readonly elsewhere: string | undefined,
  ) {
    this.others = othersOf(size);
  }

  static async open(databaseUrl: string, from: "src" | "dist", size: Size): Promise<Arena> {
    const businesses = [victim, attacker, ...othersOf(size)].map((id) =>
      aBusiness(id, {
        templates: [aTemplate(templateOf(id)), aTemplate(mediaTemplateOf(id), { headerType: "IMAGE" })],
        ...(id === attacker && { flags: { timezone: "America/La_Paz", group_shared_report: [attacker] } }),
      }),
    );
    const stage = await openStage({ databaseUrl, businesses });
    const container = createContainer(readConfig({ ...stage.environment, LOG_LEVEL: "silent" }));
    const arena = new Arena(stage, from, container, size, await ownAddress());
    try {
      await arena.fill(databaseUrl);
      return arena;
    } catch (error) {
      await arena.close();
      throw error;
    }
  }

  /** Starts the service as one process with its default limits. */
  service(environment: Readonly<Record<string, string>> = {}) {
    const defaults = { RATE_LIMIT_PER_SECOND: "", RATE_LIMIT_BURST: "" };
    return this.stage.service(this.from, { ...defaults, ...environment });
  }

  appKey(businessId: number): string {
    return this.stage.appKey(businessId);
  }

  /** A key that no process has cached. */
  newAppKey(businessId: number): Promise<string> {
    return resolve(this.container, tokens.issueAppKey).execute(businessId, "another");
  }

  async sessionToken(businessId: number, userId: number): Promise<string> {
    return (await resolve(this.container, tokens.openSession).forUser(userId, businessId)).token;
  }

  orderOf(businessId: number): number {
    return this.size.orders + businessId;
  }

  orderPath(businessId: number): string {
    return `/catalogs/order/${this.orderOf(businessId)}`;
  }

  rows<Row extends object>(text: string): Promise<Row[]> {
    return resolve(this.container, tokens.database).rows<Row>({ name: "", text }, []);
  }

  /** The request body of a campaign of the attacker. The campaign is scheduled for tomorrow. */
  campaign(contacts: number, fields: Readonly<Record<string, unknown>> = {}): object {
    const range = Array.from({ length: contacts }, (_, n) => n);
    return {
      empresa_id: attacker,
      plantilla_id: templateOf(attacker),
      user_id: adminOf(attacker),
      nombre: "Promo",
      step: attacker * 100 + 1,
      contacts_id: range.map((n) => firstContact + n),
      contacts: range.map((n) => ({ nombre: `Cliente ${n}`, numero: String(firstPhone + n), pedido: n, ...fields })),
      paramMapping: { "1": "nombre", "2": "pedido" },
      schedule_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
  }

  async close(): Promise<void> {
    await resolve(this.container, tokens.database).close();
    await this.stage.close();
  }

  private async fill(databaseUrl: string): Promise<void> {
    const { orders, contacts, records } = this.size;
    await loadOrders(databaseUrl, orders, { [victim]: 2, [attacker]: 18 });
    const hash = await resolve(this.container, tokens.passwords).hash(password);
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
    await client.connect();
    try {
      for (const step of stepsOf(orders, contacts, records)) await client.query(step);
      await client.query("update credentials set password_hash = $1 where business_id in ($2, $3)", [
        hash,
        victim,
        attacker,
      ]);
    } finally {
      await client.end();
    }
    await resolve(this.container, tokens.foldReports).rebuild(attacker);
  }
}

const othersOf = ({ others }: Size): number[] => Array.from({ length: others }, (_, n) => attacker + 1 + n);

/** SQL that adds one order per business, the `listeners`, and the attacker's contacts, registrations and tickets. */
const stepsOf = (orders: number, contacts: number, records: number): string[] => [
  `insert into orders (business_id, id, status, type, shipment_method, payment_method, branch_id, chat_id)
   select id, ${orders} + id, 1, 'wa', 'delivery', 'cash', id * 100 + 1, id * 100 + 1 from businesses`,
  `insert into order_lines (business_id, id, order_id, article_id, quantity, type)
   select id, 3 * (${orders} + id) + n, ${orders} + id, id * 1000 + n, n, 'item'
   from businesses, generate_series(1, 3) as n`,
  `insert into users (business_id, id, name, role_id)
   select ${victim}, id, 'Oyente ' || id, 5 from unnest(array[${listeners.join(",")}]) as id`,
  `insert into contacts (business_id, id, name, phone, platform_id)
   select ${attacker}, ${firstContact} + n, 'Cliente ' || n, (${firstPhone} + n)::text, (${firstPhone} + n)::text
   from generate_series(0, ${contacts} - 1) as n`,
  // Disables the triggers that update the reports. `fill` computes the reports at the end.
  "set session_replication_role = replica",
  `insert into registrations (business_id, type, chat_id, agent_id, amount, currency, base_amount, rate, rate_date, source,
                              closed, ad_id, at)
   select ${attacker}, case when n % 3 = 0 then 'sale' else 'quotation' end, ${attacker * 100 + 1},
          ${attacker * 1000} + 1 + n % 10, n % 1000, 'BOB', n % 1000, 1, '2026-01-01', 'message', true,
          case when n % 4 = 0 then 'ad ' || n % 50 end, now() - interval '365 days' * n / ${records}
   from generate_series(1, ${records}) as n`,
  `insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state, created_at, closed_at)
   select ${attacker}, ${attacker * 100 + 1}, 1, 1, ${attacker * 1000} + 1 + n % 10, 'completed',
          now() - interval '365 days' * n / ${records}, now()
   from generate_series(1, ${records}, 20) as n`,
  "set session_replication_role = origin",
  // Moves the sequences past all ids that were set explicitly.
  ...numberedTables.map((table) => `select setval(pg_get_serial_sequence('${table}', 'id'), ${firstFreeId})`),
  "vacuum (analyze) orders, order_lines, contacts, registrations, tickets",
];

/** `elsewhere` if this machine has that address, else undefined. Linux has it; macOS must be configured. */
async function ownAddress(): Promise<string | undefined> {
  const socket = createSocket("udp4");
  try {
    return await new Promise((resolve) => {
      socket.once("error", () => resolve(undefined));
      socket.bind(0, elsewhere, () => resolve(elsewhere));
    });
  } finally {
    socket.close();
  }
}
