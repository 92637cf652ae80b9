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
import { areCellsTwo, bothCellsOf, livesInSecond, noteNames, noteSecond, secondCell } from "./two-cells.ts";
import { eventually } from "./wait.ts";

export const masterSecret = "a master secret that is good for tests only";
export const appSecret = "app secret for tests";
export const verifyToken = "verify token for tests";

/** A small business with one of everything; `changes` replaces parts of it. */
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

/** As `aTemplate`, with named placeholders: its parameters are the order and the name. */
export function aNamedTemplate(id: number): TemplateFixture {
  const body = "Hola {{nombre}}, tu pedido {{pedido}} está listo.";
  const named = ["pedido", "nombre"].map((param_name) => ({ param_name, example: "x" }));
  const components = [{ type: "BODY", text: body, example: { body_text_named_params: named } }];
  return aTemplate(id, { body, structure: { language: "es", components } });
}

/** Approved, with two parameters, under the platform name `template_<id>`. */
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

/** The whole service over a database of its own and the sandbox, with businesses in it. */
export interface World {
  readonly api: string;
  readonly sandbox: Sandbox;
  readonly config: Config;
  readonly container: Container;
  readonly database: Database;
  /** By business id. */
  appKey(businessId: number): string;
  sessionToken(userId: number): Promise<string>;
  /** POST with the App Key of the business. */
  post(path: string, body: unknown, businessId?: number): Promise<Answer>;
  get(path: string, businessId?: number): Promise<Answer>;
  /** Speaks to the sandbox's control side. */
  control(method: string, path: string, body?: unknown): Promise<Answer["json"]>;
  /** Rows of the database, as the tables have them. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** What the platform posts to the webhook, signed by it unless `signature` says otherwise. */
  webhook(payload: object | string | Buffer, signature?: string | null): Promise<Answer>;
  /** A client of the inbox, logged in as the user; resolves once it hears what happens from now on. */
  listen(userId: number): Promise<Listener>;
  stop(): Promise<void>;
}

/** An event as a client received it. */
export interface Heard {
  readonly name: string;
  readonly payload: Answer["json"];
}

export interface Listener {
  /** In the order of arrival. */
  readonly heard: readonly Heard[];
  /** Waits for the first event that `matches`. */
  hears(matches: (event: Heard) => boolean): Promise<Heard>;
}

/** A webhook about the number of a business; `value` holds its messages, statuses and the like. */
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
  /** Changes to the environment that the configuration is read from. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Changes to the configuration where the environment reaches no setting. */
  readonly configure?: (config: Config) => Config;
  readonly statusDelayMs?: number;
  /** The sandbox's Pusher host is configured. */
  readonly pusher?: boolean;
  /** Takes what the service logs, whatever its level. */
  readonly log?: Log;
}

export const pusherApp = { appId: "app-1", key: "pusher-key", secret: "pusher secret" };

/** Ids that the database gives from here on meet none that a test chose. */
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

/** Every request of a test comes from one address: nothing is limited unless a test asks for it. */
const unlimited = (config: Config): Config => ({
  ...config,
  http: { ...config.http, failedAttemptsPerMinute: 1_000_000 },
});

export async function startWorld(settings: WorldSettings = {}): Promise<World> {
  const opened: (() => Promise<void>)[] = [];
  try {
    return await buildWorld(settings, opened);
  } catch (error) {
    // What stays open keeps the run from ending.
    for (const close of opened) await close().catch(() => {});
    throw error;
  }
}

/** Puts what closes each part before what closes those it stands on. */
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
    ...(isSpread && { CELLS: JSON.stringify({ [secondCell]: { schema: secondCell } }) }),
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
        await insertBusiness(transaction, business, new Secrets(masterSecret), "none");
      }
      // Those of the second cell are beyond already.
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
  // What a test reads of the audit is of its own doing.
  await rows("delete from audit", []);
  const service = await startService(config, container);
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
