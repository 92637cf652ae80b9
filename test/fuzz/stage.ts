import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../../src/kernel/log.ts";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { addRecord } from "../reports/support.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, aThread, startWorld, type World } from "../support/world.ts";
import { asking, customerOf, type FuzzRequest, firstIdOf, untouched, type Who } from "./requests.ts";

/** A line of the service's log. */
export interface Logged {
  readonly level: "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const businesses = [...asking, untouched];

/** A text that only the records of this business contain. */
const markOf = (businessId: number): string => `ZQ${businessId}MARK${businessId}QZ`;
const platformTokenOf = (businessId: number): string => `secret-platform-token-${businessId}`;
const adsTokenOf = (businessId: number): string => `secret-ads-token-${businessId}`;

/** An answer that contains one of these texts contains data of this business. */
export const tracesOf = (businessId: number): readonly string[] => [markOf(businessId), customerOf(businessId)];
/** Texts that must never appear in an answer. */
export const secrets: readonly string[] = businesses.flatMap((id) => [platformTokenOf(id), adsTokenOf(id)]);

const threadsOf = (id: number) =>
  [0, 1, 2].map((n) =>
    aThread(firstIdOf(id) + n, {
      name: `Carla ${markOf(id)}`,
      phone: n === 0 ? customerOf(id) : `${customerOf(id).slice(0, -1)}${n === 1 ? 8 : 9}`,
      messages: aThread(id).messages.map((message) => ({ ...message, body: `Hola ${markOf(id)}`, at: new Date() })),
    }),
  );

function marked(id: number) {
  const mark = markOf(id);
  const first = firstIdOf(id);
  const base = aBusiness(id);
  const body = `Hola {{1}}, ${mark}`;
  return aBusiness(id, {
    name: `Negocio ${mark}`,
    flags: { timezone: "America/La_Paz", "payments-url": "https://pay.example", group_shared_report: [id] },
    users: base.users.map((user) => ({ ...user, name: `${user.name} ${mark}` })),
    departments: base.departments.map((department) => ({ ...department, name: `Ventas ${mark}` })),
    steps: base.steps.map((step) => ({ ...step, name: `Ventas ${mark}`, content: `Hola ${mark}` })),
    templates: [
      aTemplate(first, { body: mark, name: `${mark} sin parámetros` }),
      aTemplate(first + 1, { body, name: mark }),
      aTemplate(first + 2, { body, headerType: "IMAGE", name: `${mark} con imagen` }),
      aTemplate(first + 3, { status: "REJECTED", name: `${mark} rechazada` }),
    ],
    threads: threadsOf(id),
    sender: { ...base.sender, token: platformTokenOf(id) },
    ads: {
      token: adsTokenOf(id),
      defaultAccountId: `act_${id}`,
      accounts: [{ accountId: `act_${id}`, name: `Cuenta ${mark}`, currency: "USD" }],
    },
  });
}

/** The service with three distinguishable businesses, and its log. */
export class Stage {
  /** Lines since the last `takeLog`. */
  private logged: Logged[] = [];
  private readonly sessions = new Map<number, string>();

  private constructor(
    readonly world: World,
    private readonly directory: string,
    log: Logged[],
  ) {
    this.logged = log;
  }

  static async open(role: "all" | "api"): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), "recado-fuzz-"));
    const lines: Logged[] = [];
    const at = (level: Logged["level"]) => (fields: object, message: string) => {
      lines.push({ level, fields: fields as Logged["fields"], message });
    };
    const log: Log = { info: at("info"), warn: at("warn"), error: at("error") };
    const world = await startWorld({
      businesses: businesses.map(marked),
      pusher: true,
      log,
      environment: {
        ROLE: role,
        MEDIA_DIR: directory,
        MEDIA_BASE_URL: "https://media.test/media/",
        MESSAGING_PLATFORM_TIMEOUT_MS: "1200",
        MESSAGE_LEASE_SECONDS: "3",
        ADS_PLATFORM_TIMEOUT_MS: "1500",
        ADS_REMEMBER_SECONDS: "1",
      },
    });
    const stage = new Stage(world, directory, lines);
    for (const id of businesses) await stage.furnish(id);
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
    return stage;
  }

  async close(): Promise<void> {
    await this.world.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async furnish(id: number): Promise<void> {
    const { world } = this;
    const [first, mark] = [firstIdOf(id), markOf(id)];
    await openShop(world, id);
    for (const table of ["branches", "zones", "articles", "article_extras", "drivers"]) {
      await world.rows(`update ${table} set name = name || $2 where business_id = $1`, [id, mark]);
    }
    for (const [n, type] of ["wa", "app", "web", "wa"].entries()) {
      const status = [8, 1, 4, 5][n] ?? 8;
      await addOrder(world, id, { id: first + n, type, chat_id: first + (n % 3), status });
    }
    await world.rows("update orders set raw_address = $2, cancel_reason = $2 where business_id = $1", [id, mark]);
    await world.rows("insert into tags (business_id, id, name) values ($1, $2, $3)", [id, first, mark]);
    await world.rows(
      `insert into campaigns (business_id, id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                              pause_reason, timezone, total)
       select business_id, $2 + n, $3, $2, $2, $2, id, '{}', '{}', 'paused', 'for the test', 'UTC', 0
       from senders, generate_series(0, 2) as n where business_id = $1`,
      [id, first, mark],
    );
    await this.restock(id);
    // Opens the service window.
    for (const { phone } of threadsOf(id)) {
      await world.control("POST", `/customers/${phone}/say`, { to: `number-${id}`, text: `Hola ${mark}` });
    }
    // Restored records get low ids. New records must not take these ids, so theirs start at 10,000,000.
    await world.rows("select setval(pg_get_serial_sequence('order_lines', 'id'), 10000000)");
    await world.rows("select setval(pg_get_serial_sequence('registrations', 'id'), 10000000)");
  }

  /** Restores order lines, registrations and the states of campaigns, so that requests find something to change. */
  async restock(id: number): Promise<void> {
    const { world } = this;
    if (id === untouched) return this.restockRows(id);
    await world.rows(
      `update campaigns set state = case id - $2 when 0 then 'running' when 1 then 'paused' else 'cancelled' end,
                            pause_reason = case id - $2 when 1 then 'for the test' end
       where business_id = $1 and id between $2 and $2 + 2`,
      [id, firstIdOf(id)],
    );
    await this.restockRows(id);
  }

  private async restockRows(id: number): Promise<void> {
    const { world } = this;
    for (const each of [0, 1, 2, 3].map((n) => firstIdOf(id) + n)) {
      const held = (table: string) => world.rows(`select from ${table} where business_id = $1 and id = $2`, [id, each]);
      if ((await held("order_lines")).length === 0) {
        const made = await addLine(world, id, each);
        await world.rows("update order_lines set id = $2 where business_id = $1 and id = $3", [id, each, made]);
        const extra = "insert into line_extras (business_id, line_id, extra_id) values ($1, $2, $3)";
        await world.rows(extra, [id, each, firstIdOf(id)]);
      }
      if ((await held("registrations")).length === 0) await addRecord(world, id, { id: each });
    }
  }

  async send({ method, path, headers, body, chunked, who }: FuzzRequest): Promise<Answer> {
    const { headers: credentials, path: to, body: bytes } = await this.identified(path, body, who);
    return request(`${this.world.api}${to}`, {
      method,
      headers: { ...headers, ...credentials },
      ...(bytes !== null && { rawBody: Buffer.from(bytes, "latin1") }),
      chunked,
    });
  }

  /** Adds the credentials of the request. */
  private async identified(path: string, body: string | null, { businessId, credential }: Who) {
    const token = await this.sessionOf(businessId);
    const key = this.world.appKey(businessId);
    const unchanged = { path, body, headers: {} as Record<string, string> };
    switch (credential) {
      case "none":
        return unchanged;
      case "key":
        return { ...unchanged, headers: { "x-api-key": key } };
      case "reports-key":
        return { ...unchanged, headers: { "x-recado-key": key } };
      case "session":
        return { ...unchanged, headers: { authorization: `Bearer ${token}` } };
      case "wrong-key":
        return { ...unchanged, headers: { "x-api-key": "rk_wrong\xe9" } };
      case "wrong-token":
        return { ...unchanged, headers: { authorization: "Bearer wrong" } };
      case "both":
        return { ...unchanged, headers: { "x-api-key": key, authorization: `Bearer ${token}` } };
      case "query":
        return { ...unchanged, path: `${path}${path.includes("?") ? "&" : "?"}token=${token}` };
      case "body":
        return {
          ...unchanged,
          body: (body ?? "{}").replace(/^\{(?=\s*("|\}))/, `{"token":"${token}",`).replace(",}", "}"),
        };
    }
  }

  private async sessionOf(businessId: number): Promise<string> {
    const held = this.sessions.get(businessId) ?? (await this.world.sessionToken(firstIdOf(businessId)));
    this.sessions.set(businessId, held);
    return held;
  }

  /** Requests may have ended the sessions. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  logOf(requestId: unknown): Logged[] {
    return this.logged.filter(({ fields }) => fields.requestId === requestId);
  }

  /** Returns the log lines so far and clears them. */
  takeLog(): Logged[] {
    return this.logged.splice(0);
  }

  /** By table: count and digest of the rows of the untouched business, without reports and chat counts. */
  async digests(): Promise<Readonly<Record<string, string>>> {
    this.ownedTables ??= await this.findOwnedTables();
    const one = ([name, column]: readonly [string, string]) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(held::text, ' ' order by held::text)), '')
       as digest from ${name} as held where ${column} = ${untouched}`;
    const rows = await this.world.rows<{ name: string; digest: string }>(this.ownedTables.map(one).join(" union all "));
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  }

  private ownedTables: readonly (readonly [name: string, column: string])[] | undefined;

  private async findOwnedTables(): Promise<readonly (readonly [string, string])[]> {
    const rows = await this.world.rows<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'business_id' order by 1`,
    );
    // The service changes reports and chat counts in the background.
    const changing = rows.filter((row) => !/^(report_|chat_count)/.test(row.name));
    return [["businesses", "id"] as const, ...changing.map(({ name }) => [name, "business_id"] as const)];
  }
}
