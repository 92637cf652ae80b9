import type { IncomingHttpHeaders } from "node:http";
import { fileURLToPath } from "node:url";
import type { Queries, Statement } from "../../src/infra/postgres/database.ts";
import { type OwnProcess, startProgram } from "./processes.ts";

/** What a bare handler has at hand: the database and the platform, with nothing around them. */
export interface BareTools {
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Statements of one transaction, which is committed when `work` resolves. */
  transaction<Result>(work: (query: BareTools["query"]) => Promise<Result>): Promise<Result>;
  /** One request to the platform, in the name of the business; the text of the answer. */
  platform(businessId: number, method: "GET" | "POST", path: string, body?: string): Promise<string>;
}

/** The body of an answer for the body, the path and the headers of a request. */
export type BareHandler = (
  tools: BareTools,
) => Promise<(body: string, path: string, headers: IncomingHttpHeaders) => Promise<string>>;

export interface BareSettings {
  /** The benchmark whose `bare` is served. */
  readonly name: string;
  readonly databaseUrl: string;
  readonly platformUrl: string;
  /** Of each business at the platform, by its id. */
  readonly tokens: Readonly<Record<number, string>>;
}

/**
 * Serves the `bare` of a benchmark as a process of its own: the same statements and the same request to the
 * platform as the service, on node:http alone, without routing, validation, authentication, headers or log.
 */
export const startBare = (settings: BareSettings): Promise<OwnProcess> =>
  startProgram(fileURLToPath(new URL("bare-server.ts", import.meta.url)), [JSON.stringify(settings)]);

/** The statements that an adapter runs, in order: the bare handler runs the very same. */
export async function statementsOf(use: (queries: Queries) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const queries: Queries = {
    rows: async (statement) => {
      statements.push(statement);
      return [];
    },
  };
  // An adapter that misses its rows may throw: it has told its statement by then.
  await use(queries).catch(() => {});
  return statements;
}
