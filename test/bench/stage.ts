import { fileURLToPath } from "node:url";
import { closeCells } from "../../src/bootstrap/cells.module.ts";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { insertBusiness } from "../../src/fixtures/businesses/insert.ts";
import { sandboxAccountsOf, sandboxAdAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { request } from "../support/http.ts";
import { appSecret, masterSecret, verifyToken } from "../support/world.ts";
import { startBare } from "./bare.ts";
import { AGAINST } from "./contest.ts";
import { type OwnProcess, startProgram, startService } from "./processes.ts";

const sandboxProgram = fileURLToPath(new URL("../../src/sandbox/main.ts", import.meta.url));

/** A database with businesses, and a sandbox process. Services can be started and stopped. */
export interface Stage {
  readonly databaseUrl: string;
  readonly sandbox: OwnProcess;
  /** The environment of the services. */
  readonly environment: Readonly<Record<string, string>>;
  appKey(businessId: number): string;
  sessionToken(userId: number): Promise<string>;
  /** Starts a service. The given `environment` overrides variables of the stage's environment. */
  service(from: "src" | "dist", environment?: Readonly<Record<string, string>>): Promise<OwnProcess>;
  /**
   * Starts a service and a server to compare it with: the benchmark's `bare` handler, or the service of the checkout
   * in `AGAINST`. `tokens` are the platform's tokens by business id. Only the bare handler needs them.
   */
  contestants(
    benchmark: string,
    how?: {
      readonly tokens?: Readonly<Record<number, string>>;
      readonly environment?: Readonly<Record<string, string>>;
    },
  ): Promise<Contestants>;
  /** Sends a request to the sandbox's control API. */
  control<Result>(method: string, path: string, body?: unknown): Promise<Result>;
  /** Lets the sandbox send its webhooks to this service. */
  pointWebhooksAt(service: OwnProcess): Promise<void>;
  /** Ends the sandbox. */
  close(): Promise<void>;
}

interface Contestants {
  readonly service: OwnProcess;
  readonly bare: OwnProcess;
  stop(): Promise<void>;
}

export interface StageSettings {
  /** A migrated database without businesses. */
  readonly databaseUrl: string;
  readonly businesses: readonly BusinessFixture[];
  readonly statusDelayMs?: number;
  /** The URL of an existing second cell, and the ids of the businesses that are created there. */
  readonly second?: { readonly url: string; readonly businesses: readonly number[] };
}

export const secondCell = "c2";

export async function openStage({ databaseUrl, businesses, statusDelayMs = 0, second }: StageSettings): Promise<Stage> {
  const accounts = { accounts: sandboxAccountsOf(businesses), adAccounts: sandboxAdAccountsOf(businesses) };
  const sandboxSettings = { port: 0, host: "127.0.0.1", ...accounts, statusDelayMs };
  const sandbox = await startProgram(sandboxProgram, [JSON.stringify(sandboxSettings)]);
  const environment = {
    LOG_LEVEL: "info",
    DATABASE_URL: databaseUrl,
    ...(second && { CELLS: JSON.stringify({ [secondCell]: { url: second.url } }) }),
    MASTER_SECRET: masterSecret,
    MESSAGING_PLATFORM_URL: sandbox.url,
    QR_PROVIDER_URL: sandbox.url,
    PROVIDER_B_URL: sandbox.url,
    PLATFORM_APP_SECRET: appSecret,
    PLATFORM_VERIFY_TOKEN: verifyToken,
    // The limits are per business, and a benchmark sends many requests for few businesses.
    RATE_LIMIT_PER_SECOND: "1000000",
    RATE_LIMIT_BURST: "1000000",
  };
  const appKeys = await seed(environment, businesses, second?.businesses ?? []);
  const control = async <Result>(method: string, path: string, body?: unknown): Promise<Result> => {
    const answer = await request(`${sandbox.url}/__sandbox${path}`, { method, body });
    if (answer.status >= 300) throw new Error(`sandbox: ${answer.text}`);
    return answer.json as Result;
  };
  const service: Stage["service"] = (from, changes = {}) =>
    startService({ from, environment: { ...environment, ...changes } });
  const contestants: Stage["contestants"] = async (name, { tokens = {}, environment: changes = {} } = {}) => {
    // Scheduled work runs in only one of the processes that share a database. With `AGAINST`, two services share it. A
    // third process then runs the scheduled work, so that the comparison stays fair.
    const starts = AGAINST
      ? [
          service("dist", { ...changes, ROLE: "api" }),
          startService({ from: "dist", environment: { ...environment, ...changes, ROLE: "api" }, root: AGAINST }),
          service("dist", { ...changes, ROLE: "worker" }),
        ]
      : [service("dist", changes), startBare({ name, databaseUrl, platformUrl: sandbox.url, tokens })];
    const [ours, bare, ...others] = (await Promise.all(starts)) as [OwnProcess, OwnProcess, ...OwnProcess[]];
    const stop = async () => {
      await Promise.all([ours.stop(), ...[bare, ...others].map((other) => other.kill())]);
    };
    return { service: ours, bare, stop };
  };
  return {
    databaseUrl,
    sandbox,
    environment,
    appKey: (businessId) => appKeys.get(businessId) ?? "",
    sessionToken: (userId) => openSession(environment, userId),
    service,
    contestants,
    control,
    pointWebhooksAt: ({ url }) => control("POST", "/webhook", { url: `${url}/webhooks/cloud`, appSecret }),
    close: () => sandbox.kill(),
  };
}

/** Inserts the businesses. Returns their App Keys. */
async function seed(
  environment: NodeJS.ProcessEnv,
  businesses: readonly BusinessFixture[],
  inSecond: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const container = createContainer(readConfig({ ...environment, LOG_LEVEL: "silent" }));
  const cells = resolve(container, tokens.cells);
  try {
    for (const business of businesses) {
      if (inSecond.includes(business.id))
        await resolve(container, tokens.directory).locations.add(business.id, secondCell);
      await cells.of(business.id).transaction(async (transaction) => {
        await insertBusiness(transaction, business, new Secrets(masterSecret));
      });
    }
    const keys = new Map<number, string>();
    for (const { id } of businesses) keys.set(id, await resolve(container, tokens.issueAppKey).execute(id, "test"));
    return keys;
  } finally {
    await closeCells(resolve(container, tokens.openedCells));
  }
}

async function openSession(environment: Readonly<Record<string, string>>, userId: number): Promise<string> {
  const container = createContainer(readConfig({ ...environment, LOG_LEVEL: "silent" }));
  try {
    return (await resolve(container, tokens.openSession).forUser(userId)).token;
  } finally {
    await closeCells(resolve(container, tokens.openedCells));
  }
}
