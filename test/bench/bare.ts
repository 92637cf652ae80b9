import type { IncomingHttpHeaders } from "node:http";
import { fileURLToPath } from "node:url";
import type { Queries, Statement } from "../../src/infra/postgres/database.ts";
import { type OwnProcess, startProgram } from "./processes.ts";

/** The bare handler's access to the database and the platform. */
export interface BareTools {
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction, which is committed when `work` resolves. */
  transaction<Result>(work: (query: BareTools["query"]) => Promise<Result>): Promise<Result>;
  /** Sends a request to the platform with the business's token. Returns the answer's text. */
  platform(businessId: number, method: "GET" | "POST", path: string, body?: string): Promise<string>;
}

/** Prepares a function that returns the answer's body for a request's body, path and headers. */
export type BareHandler = (
  tools: BareTools,
) => Promise<(body: string, path: string, headers: IncomingHttpHeaders) => Promise<string>>;

export interface BareSettings {
  /** The benchmark whose `bare` is used. */
  readonly name: string;
  readonly databaseUrl: string;
  readonly platformUrl: string;
  /** The platform's tokens by business id. */
  readonly tokens: Readonly<Record<number, string>>;
}

/**
 * Starts a process that serves the `bare` handler of a benchmark with node:http alone. Unlike the service, the handler
 * has no router, validation, security headers or log, and in most cases no authentication. Most handlers run the same
 * statements as the service. A handler that calls the platform sends the same request as the service.
 */
export const startBare = (settings: BareSettings): Promise<OwnProcess> =>
  startProgram(fileURLToPath(new URL("bare-server.ts", import.meta.url)), [JSON.stringify(settings)]);

/** Records the statements of an adapter, so that the bare handler runs exactly the same ones. */
export async function statementsOf(use: (queries: Queries) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const queries: Queries = {
    rows: async (statement) => {
      statements.push(statement);
      return [];
    },
  };
  // An adapter without its expected rows may throw, but its statement is already recorded.
  await use(queries).catch(() => {});
  return statements;
}
