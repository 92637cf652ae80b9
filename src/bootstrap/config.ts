import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Load, Util } from "config/lib/util.js";
import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";

const text = { type: "string" } as const;
const positive = { type: "integer", minimum: 1 } as const;
const httpUrl = { type: "string", pattern: "^https?://" } as const;
const httpUrlOrNone = { type: "string", pattern: "^(https?://.*)?$" } as const;
const hostOrNone = { type: "string", pattern: "^((https?://)?[^/\\s:@?#]+(:\\d{1,5})?/?)?$" } as const;

const section = <const Properties extends Readonly<Record<string, JSONSchema>>>(properties: Properties) =>
  ({
    type: "object",
    required: Object.keys(properties) as readonly (keyof Properties & string)[],
    properties,
  }) as const;

const schema = section({
  role: { enum: ["all", "api", "worker"] },
  host: text,
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  /** The URL at which others reach the service; empty if it is the address on which the service listens. */
  publicUrl: httpUrlOrNone,
  logLevel: { enum: ["debug", "info", "warn", "error", "silent"] },
  metricsKey: text,
  mongoUri: { type: "string", pattern: "^(mongodb(\\+srv)?://.*)?$" },
  redisUrl: { type: "string", pattern: "^(rediss?://.*)?$" },
  database: section({
    url: { type: "string", pattern: "^postgres(ql)?://" },
    /** The address that leads past a pooler, for notifications, migrations and the clock; empty if it equals `url`. */
    directUrl: { type: "string", pattern: "^(postgres(ql)?://.*)?$" },
    statementNames: { enum: ["on", "kept", "off"] },
    poolSize: { type: "integer", minimum: 2, maximum: 500 },
    slowPoolSize: { type: "integer", minimum: 2, maximum: 500 },
    statementTimeoutMs: positive,
    slowStatementTimeoutMs: positive,
    connectTimeoutMs: positive,
  }),
  /** Further cells by name. A cell without a `url` is a schema of the first cell's database. */
  cells: {
    type: "object",
    propertyNames: { pattern: "^[a-z][a-z0-9_]{0,30}$" },
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: {
        url: { type: "string", pattern: "^postgres(ql)?://" },
        directUrl: { type: "string", pattern: "^postgres(ql)?://" },
        schema: { type: "string", pattern: "^[a-z][a-z0-9_]{0,30}$" },
      },
    },
  },
  secrets: section({ master: { type: "string", minLength: 32 } }),
  /** Hosts that may be called over plain http in production, comma-separated. */
  plainHttpHosts: text,
  http: section({
    bodyLimitBytes: positive,
    /** How long the process answers requests after it reports that it is stopping, so that balancers notice. */
    drainSeconds: { type: "number", minimum: 0, maximum: 300 },
    corsOrigins: text,
    trustProxy: text,
    requestsPerSecond: positive,
    burst: { type: "integer", minimum: 0 },
    connections: positive,
    connectionsPerAddress: { type: "integer", minimum: 1_000 },
    failedAttemptsPerMinute: positive,
  }),
  sessions: section({ hours: { type: "number", exclusiveMinimum: 0 } }),
  messagingPlatform: section({
    url: httpUrl,
    version: text,
    appSecret: { type: "string", minLength: 1 },
    verifyToken: { type: "string", minLength: 1 },
    connectTimeoutMs: positive,
    timeoutMs: positive,
    connections: positive,
  }),
  adsPlatform: section({
    url: httpUrlOrNone,
    version: { type: "string", pattern: "^v[0-9]+[.][0-9]+$" },
    connectTimeoutMs: positive,
    requestTimeoutMs: positive,
    timeoutMs: positive,
    rememberSeconds: positive,
  }),
  /** Base URLs of the channels outside the messaging platform. A channel with an empty URL is not configured. */
  channels: { type: "object", additionalProperties: httpUrlOrNone },
  integrations: section({
    deliveryPricingUrl: httpUrlOrNone,
    driverTrackingUrl: httpUrlOrNone,
    timeoutMs: positive,
  }),
  pusher: section({ host: hostOrNone, appId: text, key: text, secret: text, timeoutMs: positive }),
  media: section({
    baseUrl: { type: "string", pattern: "^(https://.+/)?$" },
    directory: text,
    s3: section({ bucket: text, endpoint: httpUrlOrNone, region: { type: "string", minLength: 1 } }),
    allowPrivateUrls: { type: "boolean" },
    timeoutMs: positive,
  }),
  webhooks: section({
    allowPrivateUrls: { type: "boolean" },
    // An attempt must end while the worker's lease of 30 s lasts.
    timeoutMs: { ...positive, maximum: 20_000 },
  }),
  messages: section({ leaseSeconds: positive }),
  campaigns: section({
    sendersAtATime: positive,
    requestsAtATime: positive,
    sendWithinSeconds: positive,
    recordWithinSeconds: positive,
  }),
  idempotency: section({ leaseSeconds: positive }),
  // Webhooks for events of the last 72 hours can be sent again, so these events must be kept.
  realtime: section({ keepEventsHours: { type: "integer", minimum: 72 } }),
} as const);

export type Config = FromSchema<typeof schema>;

export const directUrlOf = ({ database }: Config): string => database.directUrl || database.url;

/** The name of the cell of `DATABASE_URL`. */
const firstCell = "c1";

export interface CellSettings {
  readonly name: string;
  readonly url: string;
  /** The address that leads past a pooler. */
  readonly directUrl: string;
  readonly schema?: string | undefined;
}

/** The cells of the settings. `c1`, the cell of `DATABASE_URL`, is the first. */
export function cellsOf(config: Config): readonly [CellSettings, ...CellSettings[]] {
  const { url } = config.database;
  const first = { name: firstCell, url, directUrl: directUrlOf(config) };
  const others = Object.entries(config.cells).map(([name, cell]): CellSettings => {
    const place = cell.url ? { url: cell.url, directUrl: cell.directUrl ?? cell.url } : { ...first };
    return { ...place, name, schema: cell.schema };
  });
  return [first, ...others];
}

const ajv = new Ajv({ coerceTypes: true, allErrors: true });
const directory = process.env.NODE_CONFIG_DIR ?? `${process.cwd()}/config`;

/**
 * Reads config/default.json, the file of NODE_ENV and the environment. Throws with the names of all invalid settings.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables: Json = JSON.parse(readFileSync(`${directory}/custom-environment-variables.json`, "utf8"));
  const load = new Load({ configDir: directory, nodeEnv: [environment.NODE_ENV ?? "development"], hostName: "" });
  Util.loadFileConfigs(load);
  load.addConfig("environment", valuesOf(variables, environment));
  const settings: unknown = structuredClone(load.config);
  const isWellFormed = ajv.validate<Config>(schema, settings);
  const problems = (ajv.errors ?? []).map(({ instancePath, params, message }) => {
    const path = [...instancePath.split("/").slice(1), ...(params.missingProperty ? [params.missingProperty] : [])];
    return `${nameOf(path, variables)} ${params.missingProperty ? "is not set" : message}`;
  });
  if (isWellFormed) problems.push(...contradictions(settings));
  if (environment.NODE_ENV === "production") problems.push(...weaknesses(settings, variables));
  if (isWellFormed && problems.length === 0) return settings;
  throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
}

/** Checks settings that depend on each other. */
function contradictions(config: Config): string[] {
  const { http, messages, messagingPlatform, pusher } = config;
  const problems: string[] = [];
  const places = cellsOf(config).map(({ url, schema }) => `${url} ${schema ?? "public"}`);
  if (new Set(places).size < places.length) problems.push("CELLS names a database, or a schema of one, twice");
  if (firstCell in config.cells) problems.push(`CELLS must not name ${firstCell}, which DATABASE_URL leads to`);
  const given = [pusher.host, pusher.appId, pusher.key, pusher.secret].filter((setting) => setting !== "");
  if (given.length !== 0 && given.length !== 4) {
    problems.push("PUSHER_HOST, PUSHER_APP_ID, PUSHER_KEY and PUSHER_SECRET must be set together");
  }
  try {
    trustedProxies(http.trustProxy);
  } catch (error) {
    problems.push(`TRUST_PROXY ${(error as Error).message}`);
  }
  // If the lease ended before the timeout, a message could become `unknown` before the platform answers.
  if (messages.leaseSeconds * 1_000 <= messagingPlatform.timeoutMs) {
    const least = `${messagingPlatform.timeoutMs} ms`;
    problems.push(`MESSAGE_LEASE_SECONDS must be more than MESSAGING_PLATFORM_TIMEOUT_MS, ${least}`);
  }
  return problems;
}

/**
 * The least number of different characters in the master secret. Only 1 of 10,000 random texts of 32 hexadecimal digits
 * has fewer.
 */
const leastDistinct = 10;
/** The same for the other secrets. Only 1 of 30,000 random texts of 16 hexadecimal digits has fewer. */
const leastDistinctOfShort = 6;
const shortestSecret = 16;

/** Settings with URLs that need https in production: this service calls them, or providers send secrets to them. */
const asking: ReadonlySet<string> = new Set([
  "publicUrl",
  "messagingPlatform",
  "adsPlatform",
  "channels",
  "integrations",
  "pusher",
  "media",
]);

/** Finds settings that are not safe enough for production. `settings` may have invalid or missing values. */
function weaknesses(settings: unknown, variables: Json): string[] {
  const problems: string[] = [];
  const { secrets, messagingPlatform, metricsKey, media, webhooks, plainHttpHosts } = settings as Config;
  const given = {
    [nameOf(["secrets", "master"], variables)]: secrets.master,
    [nameOf(["messagingPlatform", "appSecret"], variables)]: messagingPlatform.appSecret,
    [nameOf(["messagingPlatform", "verifyToken"], variables)]: messagingPlatform.verifyToken,
    [nameOf(["metricsKey"], variables)]: metricsKey,
  };
  for (const [name, secret = ""] of Object.entries(given)) {
    // The schema reports required settings that are missing.
    if (secret === "") continue;
    const least = secret === secrets.master ? leastDistinct : leastDistinctOfShort;
    if (secret.length < shortestSecret) problems.push(`${name} must have at least ${shortestSecret} characters`);
    else if (new Set(secret).size < least) problems.push(`${name} must have at least ${least} different characters`);
  }
  const trusted = listOf(plainHttpHosts.toLowerCase());
  for (const { path, value } of textsIn(settings)) {
    if (!asking.has(path[0] ?? "") || !value.startsWith("http:")) continue;
    const host = URL.canParse(value) ? new URL(value).hostname : "";
    if (loopback.test(host) || trusted.includes(host)) continue;
    problems.push(`${nameOf(path, variables)} must begin with https://, unless PLAIN_HTTP_HOSTS names its host`);
  }
  if (media.allowPrivateUrls === true) problems.push("ALLOW_PRIVATE_MEDIA_URLS must not be set in production");
  if (webhooks?.allowPrivateUrls === true) problems.push("ALLOW_PRIVATE_WEBHOOK_URLS must not be set in production");
  return problems;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** All strings in the settings, with their paths. */
function textsIn(settings: unknown, at: readonly string[] = []): { path: readonly string[]; value: string }[] {
  if (typeof settings === "string") return [{ path: at, value: settings }];
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([name, value]) => textsIn(value, [...at, name]));
}

/** The settings in environment variables. Empty variables are ignored. */
function valuesOf(variables: Json, environment: NodeJS.ProcessEnv): object {
  const entries = Object.entries(variables).map(([name, variable]) => [
    name,
    typeof variable === "string" ? readValue(variable, environment[variable]) : valuesOf(variable, environment),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Only the variable `CELLS` has JSON. Invalid JSON stays a string, which the schema refuses. */
function readValue(variable: string, given: string | undefined): unknown {
  if (!given || variable !== "CELLS") return given || undefined;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

type Json = { readonly [name: string]: string | Json };

/** The environment variable of a setting, or its path in config/default.json if there is none. */
function nameOf(path: readonly string[], variables: Json): string {
  let found: string | Json | undefined = variables;
  for (const step of path) found = typeof found === "object" ? found[step] : undefined;
  return typeof found === "string" ? found : path.join(".");
}

/** Splits a comma-separated environment variable. */
export const listOf = (text: string): string[] => text.split(",").flatMap((item) => item.trim() || []);
