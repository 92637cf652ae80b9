import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { searchPathOf } from "../database.ts";
import { isTimeout } from "../database-failure.ts";

export interface Place {
  readonly cell: string;
  readonly url: string;
  /** Empty or missing for the connection's default schema. */
  readonly schema?: string | undefined;
}

/** In `snapshot` all statements see the database as the first one did. In `quiet` triggers and foreign keys are off. */
type Manner = "plain" | "snapshot" | "quiet";

const beginnings: Readonly<Record<Manner, string>> = {
  plain: "begin",
  snapshot: "begin isolation level repeatable read",
  quiet: "begin; set local session_replication_role = replica",
};

/** Milliseconds for one statement. The longest statements compare all rows of a table. */
export const usualStatementMs = 600_000;

/** A server that has not cancelled a statement after this many times `statementMs` counts as unreachable. */
const silence = 1.1;
const longestCloseMs = 1_000;

/** With these settings, equal values have the same text on both sides. */
const sessionOf = (statementMs: number): string =>
  [
    "set timezone = 'UTC'",
    "set datestyle = 'ISO, YMD'",
    "set intervalstyle = 'postgres'",
    "set extra_float_digits = 1",
    "set bytea_output = 'hex'",
    `set statement_timeout = ${statementMs}`,
    "set idle_in_transaction_session_timeout = '60s'",
    // Compiling the comparisons would take longer than running them.
    "set jit = off",
  ].join("; ");

/** A field of `pg.Client` that its types leave out. */
interface Wire {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** One connection to a cell or to the directory. It runs one statement at a time. */
export class Side {
  private constructor(
    readonly cell: string,
    readonly schema: string,
    private readonly client: pg.Client,
    private readonly statementMs: number,
  ) {}

  /** @param statementMs - a statement that takes longer fails, and so does one whose answer never comes */
  static async open({ cell, url, schema = "" }: Place, statementMs = usualStatementMs): Promise<Side> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: "recado move",
    });
    // The error needs no handling: a running statement rejects by itself, and otherwise the next statement fails.
    client.on("error", () => {});
    await client.connect();
    const side = new Side(cell, schema, client, statementMs);
    try {
      await side.run(sessionOf(statementMs));
      if (schema) await side.run(`set search_path = ${searchPathOf(schema)}`);
      const [found] = await side.rows<{ schema: string | null }>("select current_schema() as schema");
      // The schema of a new cell does not exist yet.
      return new Side(cell, found?.schema ?? schema, client, statementMs);
    } catch (error) {
      await side.close();
      throw error;
    }
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.inTime(() => this.client.query<Row>(text, values as unknown[]))).rows;
  }

  /** Returns the number of rows that the statement changed. */
  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.inTime(() => this.client.query(text, values as unknown[]))).rowCount ?? 0;
  }

  async transaction<Result>(manner: Manner, work: () => Promise<Result>): Promise<Result> {
    await this.run(beginnings[manner]);
    try {
      const result = await work();
      await this.run("commit");
      return result;
    } catch (error) {
      await this.run("rollback").catch(() => {});
      throw error;
    }
  }

  /**
   * Streams the rows of `query` into a table of `target`. Returns their number. Closes this connection if the copy
   * fails, because its next statement would wait for ever behind the unread rows.
   */
  async copyTo(target: Side, query: string, table: string, columns: readonly string[]): Promise<number> {
    const names = columns.map(pg.escapeIdentifier).join(", ");
    const given = this.client.query(copyTo(`copy (${query}) to stdout (format binary)`));
    const taken = target.client.query(copyFrom(`copy ${quoted(table)} (${names}) from stdin (format binary)`));
    // When the connection ends, `given` emits a second error, which needs a listener.
    given.on("error", () => {});
    try {
      const both = `${this.cell} or ${target.cell}`;
      await this.inTime(() => target.inTime(() => pipeline(given, taken), both), both);
    } catch (error) {
      await this.close();
      throw error;
    }
    return taken.rowCount;
  }

  async close(): Promise<void> {
    const ended = this.client.end().catch(() => {});
    await Promise.race([ended, sleep(longestCloseMs, undefined, { ref: false })]);
    this.destroy();
  }

  /** The server cancels a statement that takes too long. If the server does not answer at all, the connection ends. */
  private async inTime<Result>(run: () => Promise<Result>, cells = this.cell): Promise<Result> {
    const seconds = this.statementMs / 1_000;
    const message = `the database of cell ${cells} did not complete a statement of the move within ${seconds} s`;
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(message));
        this.destroy();
      }, this.statementMs * silence);
    });
    try {
      return await Promise.race([run(), silent]);
    } catch (error) {
      throw isTimeout(error) ? new Error(message, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private destroy(): void {
    (this.client as unknown as Wire).connection.stream.destroy();
  }
}

export async function withSide<Result>(
  place: Place,
  work: (side: Side) => Promise<Result>,
  statementMs?: number,
): Promise<Result> {
  const side = await Side.open(place, statementMs);
  try {
    return await work(side);
  } finally {
    await side.close();
  }
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
export const literal = (value: string): string => pg.escapeLiteral(value);
