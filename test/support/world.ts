import { createHmac } from "node:crypto";
import type { Container } from "inversify";
import { io, type Socket } from "socket.io-client";
import { closeCells } from "../../src/bootstrap/cells.module.ts";
import { type Config, readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { startService } from "../../src/bootstrap/service.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { BusinessFixture, TemplateFixture, ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { insertBusiness } from "../../src/fixtures/businesses/insert.ts";
import {
  platformsAt,
  pusherAt,
  sandboxAccountsOf,
  sandboxAdAccountsOf,
} from "../../src/fixtures/businesses/platforms.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import type { Log } from "../../src/kernel/log.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { freshDatabase, twoCells } from "./database.ts";
import { type Answer, request } from "./http.ts";
import { databaseSettings } from "./pooler.ts";
import { areCellsTwo, bothCellsOf, cellsSettings, livesInSecond, noteNames, noteSecond } from "./two-cells.ts";
import { eventually } from "./wait.ts";

export const masterSecret = "a master secret that is good for tests only";
export const appSecret = "app secret for tests";
export const verifyToken = "verify token for tests";

/** A small business with two users, and one department, step, template, chat and sender. `changes` replaces parts. */
export function aBusiness(id: number, changes: Partial<BusinessFixture> = {}): BusinessFixture {
  const base = id * 100;
  return {
    id,
    name: `Negocio ${id}`,
    flags: { timezone: "America/La_Paz" },
    users: [
      { id: base + 1, name: "Ada Admin", email: `admin@b${id}.test`, roleId: 1, available: false },
      { id: base + 2, name: "Ana Agente", email: `agent@b${id}.test`, roleId: 5, available: true },
    ],
    departments: [{ id: base + 1, name: "Ventas" }],
    steps: [{ id: base + 1, name: "Ventas", identifier: "ventas", content: "Hola", departmentId: base + 1 }],
    templates: [aTemplate(base + 1)],
    threads: [aThread(base + 1)],
    sender: {
      phoneNumberId: `number-${id}`,
      accountId: `account-${id}`,
      phone: `5912000000${id}`,
      token: `token-${id}`,
    },
    ads: {
      token: `ads-token-${id}`,
      defaultAccountId: `act_${id}`,
      accounts: [{ accountId: `act_${id}`, name: `Cuenta ${id}`, currency: "USD" }],
    },
    ...changes,
  };
}

/** Like `aTemplate`, but its placeholders have the names `nombre` and `pedido`. */
export function aNamedTemplate(id: number): TemplateFixture {
  const body = "Hola {{nombre}}, tu pedido {{pedido}} está listo.";
  const named = ["pedido", "nombre"].map((param_name) => ({ param_name, example: "x" }));
  const components = [{ type: "BODY", text: body, example: { body_text_named_params: named } }];
  return aTemplate(id, { body, structure: { language: "es", components } });
}

/** An approved template with two parameters and the platform name `template_<id>`. */
export function aTemplate(
  id: number,
  changes: Partial<TemplateFixture> & { readonly status?: string } = {},
): TemplateFixture {
  const { status = "APPROVED", ...rest } = changes;
  const platformName = rest.platformName ?? `template_${id}`;
  const body = rest.body ?? "Hola {{1}}, tu pedido {{2}} está listo.";
  const header = rest.headerType && rest.headerType !== "TEXT" ? [{ type: "HEADER", format: rest.headerType }] : [];
  const components = [...header, { type: "BODY", text: body }];
  return {
    id,
    name: `Plantilla ${id}`,
    platformName,
    body,
    structure: { language: "es", components },
    headerType: "TEXT",
    fileName: null,
    provider: "Cloud",
    providerBId: null,
    allowedAgents: null,
    visible: true,
    deleted: false,
    createdByAi: false,
    listed: [{ name: platformName, language: "es", status, components }],
    ...rest,
  };
}

export const aThread = (id: number, changes: Partial<ThreadFixture> = {}): ThreadFixture => ({
  contactId: id,
  chatId: id,
  name: "Carla Cliente",
  phone: `5917000${String(id).padStart(4, "0")}`,
  state: "bot",
  supportUserId: null,
  adId: null,
  messages: [
    {
      direction: "in",
      body: "Hola",
      author: "contact",
      authorName: "Carla Cliente",
      state: "received",
      at: new Date("2026-01-02T03:04:05Z"),
    },
  ],
  ...changes,
});

/** The service with a new database, the sandbox, and businesses. */
export interface World {
  readonly api: string;
  readonly sandbox: Sandbox;
  readonly config: Config;
  readonly container: Container;
  readonly database: Database;
  appKey(businessId: number): string;
  sessionToken(userId: number): Promise<string>;
  /** POST with the business's App Key. */
  post(path: string, body: unknown, businessId?: number): Promise<Answer>;
  get(path: string, businessId?: number): Promise<Answer>;
  /** Sends a request to the sandbox's control API. */
  control(method: string, path: string, body?: unknown): Promise<Answer["json"]>;
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement only in the business's cell. With two cells, `rows` uses both cells: see `bothCellsOf`. */
  rowsOfCell<Row extends object>(businessId: number, sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Posts a platform's webhook, with a valid signature unless another is given. Null omits the signature. */
  webhook(payload: object | string | Buffer, signature?: string | null): Promise<Answer>;
  /** Opens a socket of the user. Resolves after the event `ready`, which `heard` does not contain. */
  listen(userId: number): Promise<Listener>;
  stop(): Promise<void>;
}

export interface Heard {
  readonly name: string;
  readonly payload: Answer["json"];
}

export interface Listener {
  /** The events in the order of arrival. */
  readonly heard: readonly Heard[];
  /** Waits for the first event that `matches`. */
  hears(matches: (event: Heard) => boolean): Promise<Heard>;
}

/** A webhook about a business's number; `value` has its messages, statuses and the like. */
export const aWebhook = (businessId: number, value: object): object => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: `account-${businessId}`,
      changes: [
        {
          field: "messages",
          value: { messaging_product: "whatsapp", metadata: { phone_number_id: `number-${businessId}` }, ...value },
        },
      ],
    },
  ],
});

export const signatureOf = (payload: string | Buffer): string =>
  `sha256=${createHmac("sha256", appSecret).update(payload).digest("hex")}`;

export interface WorldSettings {
  readonly businesses?: readonly BusinessFixture[];
  /** Overrides environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Overrides settings without an environment variable. */
  readonly configure?: (config: Config) => Config;
  readonly statusDelayMs?: number;
  /** Makes the service use the sandbox as its Pusher host. */
  readonly pusher?: boolean;
  /** Receives the service's log lines of all levels. */
  readonly log?: Log;
}

export const pusherApp = { appId: "app-1", key: "pusher-key", secret: "pusher secret" };

/** Generated ids in `numberedTables` are above this number. Tests choose smaller ids. */
const firstFreeId = 10_000_000;
const numberedTables = [
  "businesses",
  "users",
  "departments",
  "steps",
  "templates",
  "contacts",
  "chats",
  "conversations",
];

/** Removes the limit of failed attempts per address, since all tests use the same address. */
const unlimited = (config: Config): Config => ({
  ...config,
  http: { ...config.http, failedAttemptsPerMinute: 1_000_000 },
});

export async function startWorld(settings: WorldSettings = {}): Promise<World> {
  const opened: (() => Promise<void>)[] = [];
  try {
    return await buildWorld(settings, opened);
  } catch (error) {
    // Open resources would keep the run from ending.
    for (const close of opened) await close().catch(() => {});
    throw error;
  }
}

/** Adds functions to `opened` that close the parts. A part is closed before the parts that it needs. */
async function buildWorld(settings: WorldSettings, opened: (() => Promise<void>)[]): Promise<World> {
  const { businesses = [aBusiness(1), aBusiness(2)], statusDelayMs = 0, configure = (config) => config } = settings;
  const isSpread = areCellsTwo();
  const fresh = isSpread ? await twoCells() : await freshDatabase();
  opened.unshift(() => fresh.drop());
  const sandbox = await startSandbox({
    port: 0,
    host: "127.0.0.1",
    accounts: sandboxAccountsOf(businesses),
    adAccounts: sandboxAdAccountsOf(businesses),
    pusherApps: [pusherApp],
    statusDelayMs,
  });
  opened.unshift(() => sandbox.close());
  const environment = {
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    ...(await databaseSettings(fresh.url)),
    MASTER_SECRET: masterSecret,
    ...platformsAt(sandbox.url),
    ...(settings.pusher && pusherAt(sandbox.url, pusherApp)),
    PLATFORM_APP_SECRET: appSecret,
    PLATFORM_VERIFY_TOKEN: verifyToken,
    HOST_ADDRESS: "127.0.0.1",
    PORT: "0",
    RATE_LIMIT_PER_SECOND: "100000",
    ...cellsSettings(),
    ...settings.environment,
  };
  const config = configure(unlimited(readConfig(environment)));
  const container = createContainer(config);
  if (settings.log) (await container.rebind<Log>(tokens.log)).toConstantValue(settings.log);
  const database = resolve(container, tokens.database);
  opened.unshift(() => closeCells(resolve(container, tokens.openedCells)));
  const rows = isSpread ? bothCellsOf(database) : rowsOf(database);
  const inSecond = isSpread ? businesses.filter(({ id }) => livesInSecond(id)) : [];
  if (inSecond.length > 0) await database.rows({ name: "", text: noteSecond(inSecond.map(({ id }) => id)) }, []);
  const [first, second = first] = resolve(container, tokens.openedCells);
  for (const cell of new Set([first, second])) {
    await cell.database.transaction(async (transaction) => {
      for (const business of businesses) {
        if (isSpread && (cell !== first) !== livesInSecond(business.id)) continue;
        await insertBusiness(transaction, business, new Secrets(masterSecret));
      }
      // `makeSecondCell` has already set the sequences of the second cell.
      for (const table of cell === first ? numberedTables : []) {
        const text = `select setval(pg_get_serial_sequence('${table}', 'id'), ${firstFreeId})`;
        await transaction.rows({ name: "", text }, []);
      }
    });
  }
  if (isSpread) await database.rows({ name: "", text: noteNames }, []);
  const appKeys = new Map<number, string>();
  for (const { id } of businesses) {
    appKeys.set(id, await resolve(container, tokens.issueAppKey).execute(id, "test"));
  }
  await rows("update app_keys set scopes = '{read,send,orders,admin}'", []);
  // Tests expect only their own entries in the audit.
  await rows("delete from audit", []);
  const service = await startService(config, { container });
  opened.splice(0, 1, () => service.stop());
  const api = `http://127.0.0.1:${service.port}`;
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await request(`${sandbox.url}/__sandbox${path}`, { method, body });
    if (answer.status >= 300) throw new Error(`sandbox: ${answer.text}`);
    return answer.json;
  };
  await control("POST", "/webhook", { url: `${api}/webhooks/cloud`, appSecret });
  const keyOf = (businessId: number): string => appKeys.get(businessId) ?? "";
  const sessionToken = async (userId: number) => (await resolve(container, tokens.openSession).forUser(userId)).token;
  const sockets: Socket[] = [];

  return {
    api,
    sandbox,
    config,
    container,
    database,
    appKey: keyOf,
    sessionToken,
    post: (path, body, businessId = 1) =>
      request(api + path, { method: "POST", body, headers: { "x-api-key": keyOf(businessId) } }),
    get: (path, businessId = 1) => request(api + path, { headers: { "x-api-key": keyOf(businessId) } }),
    control,
    rows: (sql, values = []) => rows(sql, values),
    rowsOfCell: (businessId, sql, values = []) =>
      rowsOf((livesInSecond(businessId) ? second : first).database)(sql, values),
    webhook: (payload, signature) => {
      const rawBody = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
      const given = signature === undefined ? signatureOf(rawBody) : signature;
      const headers = { ...(given !== null && { "x-hub-signature-256": given }) };
      return request(`${api}/webhooks/cloud`, { method: "POST", rawBody, headers });
    },
    listen: async (userId) => {
      const token = await sessionToken(userId);
      const socket = io(`${api}/realtime`, { forceNew: true, transports: ["websocket"], auth: { token } });
      sockets.push(socket);
      return await listening(socket);
    },
    stop: async () => {
      for (const socket of sockets) socket.disconnect();
      await sandbox.close();
      await service.stop();
      await fresh.drop();
    },
  };
}

const rowsOf =
  (database: Database) =>
  <Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> =>
    database.rows<Row>({ name: "", text: sql }, values);

async function listening(socket: Socket): Promise<Listener> {
  const heard: Heard[] = [];
  socket.onAny((name: string, payload: unknown) => void heard.push({ name, payload }));
  const hears = (matches: (event: Heard) => boolean) => eventually(() => heard.find(matches));
  await hears(({ name }) => name === "ready");
  heard.length = 0;
  return { heard, hears };
}
