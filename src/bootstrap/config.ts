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

/** Settings that must all be there. */
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
  /** Where the service is reached from outside; empty: where it listens. */
  publicUrl: httpUrlOrNone,
  logLevel: { enum: ["debug", "info", "warn", "error", "silent"] },
  metricsKey: text,
  mongoUri: { type: "string", pattern: "^(mongodb(\\+srv)?://.*)?$" },
  redisUrl: { type: "string", pattern: "^(rediss?://.*)?$" },
  database: section({
    url: { type: "string", pattern: "^postgres(ql)?://" },
    /** Past a pooler, for notifications, migrations and the clock; empty: as `url`. */
    directUrl: { type: "string", pattern: "^(postgres(ql)?://.*)?$" },
    statementNames: { enum: ["on", "kept", "off"] },
    poolSize: { type: "integer", minimum: 2, maximum: 500 },
    slowPoolSize: { type: "integer", minimum: 2, maximum: 500 },
    statementTimeoutMs: positive,
    slowStatementTimeoutMs: positive,
    connectTimeoutMs: positive,
  }),
  /** Beside the first cell, which is the database above, by their names. Without a `url` it is a schema of that one. */
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
  /** Hosts that may be asked over http in production, comma-separated. */
  plainHttpHosts: text,
  http: section({
    bodyLimitBytes: positive,
    /** Between saying that it is not ready and taking nothing new: balancers must have noticed by then. */
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
  /** By channel, those with an address of their own; empty: not configured. */
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
  webhooks: section({ allowPrivateUrls: { type: "boolean" }, timeoutMs: positive }),
  messages: section({ leaseSeconds: positive }),
  campaigns: section({
    sendersAtATime: positive,
    requestsAtATime: positive,
    sendWithinSeconds: positive,
    recordWithinSeconds: positive,
  }),
  idempotency: section({ leaseSeconds: positive }),
  realtime: section({ keepEventsHours: positive }),
} as const);

export type Config = FromSchema<typeof schema>;

export const directUrlOf = ({ database }: Config): string => database.directUrl || database.url;

/** The name of the cell that `DATABASE_URL` leads to, which has the directory. */
export const firstCell = "c1";

export interface CellSettings {
  readonly name: string;
  readonly url: string;
  /** Past a pooler. */
  readonly directUrl: string;
  readonly schema?: string | undefined;
}

/** The first one first. */
export function cellsOf(config: Config): readonly [CellSettings, ...CellSettings[]] {
  const { url } = config.database;
  const first = { name: firstCell, url, directUrl: directUrlOf(config) };
  const others = Object.entries(config.cells).map(([name, cell]): CellSettings => {
    const place = cell.url ? { url: cell.url, directUrl: cell.directUrl ?? cell.url } : { ...first };
    return { ...place, name, schema: cell.schema };
  });
  return [first, ...others];
}

const directory = process.env.NODE_CONFIG_DIR ?? `${process.cwd()}/config`;

/**
 * The one place that reads settings: config/default.json, then the file of NODE_ENV, then the environment.
 * Throws with the names of all that are missing or malformed.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables: Json = JSON.parse(readFileSync(`${directory}/custom-environment-variables.json`, "utf8"));
  const load = new Load({ configDir: directory, nodeEnv: [environment.NODE_ENV ?? "development"], hostName: "" });
  Util.loadFileConfigs(load);
  load.addConfig("environment", valuesOf(variables, environment));
  const ajv = new Ajv({ coerceTypes: true, allErrors: true });
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

/** What each setting allows alone, and does not together with the others. */
function contradictions(config: Config): string[] {
  const { http, messages, messagingPlatform, pusher } = config;
  const problems: string[] = [];
  const places = cellsOf(config).map(({ url, schema }) => `${url} ${schema ?? ""}`);
  if (new Set(places).size < places.length) problems.push("CELLS names a database, or a schema of one, twice");
  if (firstCell in config.cells) problems.push(`CELLS must not name ${firstCell}, which DATABASE_URL leads to`);
  const given = [pusher.host, pusher.appId, pusher.key, pusher.secret].filter((setting) => setting !== "");
  if (given.length !== 0 && given.length !== 4) {
    problems.push("PUSHER_HOST, PUSHER_APP_ID, PUSHER_KEY and PUSHER_SECRET must be set together");
  }
  const proxies = complaintOf(() => trustedProxies(http.trustProxy));
  if (proxies) problems.push(`TRUST_PROXY ${proxies}`);
  // A lease that ends while its message may still be on its way would call unknown what is about to be answered.
  if (messages.leaseSeconds * 1_000 <= messagingPlatform.timeoutMs) {
    const least = `${messagingPlatform.timeoutMs} ms`;
    problems.push(`MESSAGE_LEASE_SECONDS must be more than MESSAGING_PLATFORM_TIMEOUT_MS, ${least}`);
  }
  return problems;
}

/** A random text of 32 hexadecimal digits has fewer different ones once in 8,000 times, a longer one never. */
const leastDistinct = 10;
/** Of secrets that may have 16 characters: random hexadecimal digits have fewer once in 100,000 times. */
const leastDistinctOfShort = 6;
const shortestSecret = 16;

/** Sections whose settings hold addresses that are asked, and where a provider sends its secret to us. */
const asking: ReadonlySet<string> = new Set([
  "publicUrl",
  "messagingPlatform",
  "adsPlatform",
  "channels",
  "integrations",
  "pusher",
  "media",
]);

/** What will do for tests and for a look, and not for production. Settings may be malformed, or not there. */
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
    // Those that must be set are asked for elsewhere.
    if (secret === "") continue;
    const least = secret === secrets.master ? leastDistinct : leastDistinctOfShort;
    if (secret.length < shortestSecret) problems.push(`${name} must have at least ${shortestSecret} characters`);
    else if (new Set(secret).size < least) problems.push(`${name} must have at least ${least} different characters`);
  }
  const trusted = plainHttpHosts.split(",").map((host) => host.trim().toLowerCase());
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

/** Every text among the settings, however deep. */
function textsIn(settings: unknown, at: readonly string[] = []): { path: readonly string[]; value: string }[] {
  if (typeof settings === "string") return [{ path: at, value: settings }];
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([name, value]) => textsIn(value, [...at, name]));
}

function complaintOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The settings that the environment gives; an empty variable gives none. */
function valuesOf(variables: Json, environment: NodeJS.ProcessEnv): object {
  const entries = Object.entries(variables).map(([name, variable]) => [
    name,
    typeof variable === "string" ? readValue(variable, environment[variable]) : valuesOf(variable, environment),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The only setting that is JSON; what is none stays a text, of which the check of all settings complains. */
function readValue(variable: string, given: string | undefined): unknown {
  if (!given || variable !== "CELLS") return given || undefined;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

type Json = { readonly [name: string]: string | Json };

/** The environment variable of a setting; settings without one go by their path in config/default.json. */
function nameOf(path: readonly string[], variables: Json): string {
  let found: string | Json | undefined = variables;
  for (const step of path) found = typeof found === "object" ? found[step] : undefined;
  return typeof found === "string" ? found : path.join(".");
}
