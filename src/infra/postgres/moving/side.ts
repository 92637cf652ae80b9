import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { searchPathOf } from "../database.ts";

export interface Place {
  readonly cell: string;
  readonly url: string;
  /** Empty for the connection's default schema. */
  readonly schema: string;
}

/** In `snapshot` all statements see the database as the first one did. In `quiet` triggers and foreign keys are off. */
type Manner = "plain" | "snapshot" | "quiet";

const beginnings: Readonly<Record<Manner, string>> = {
  plain: "begin",
  snapshot: "begin isolation level repeatable read",
  quiet: "begin; set local session_replication_role = replica",
};

/** Values must have the same text on both sides. A move must end if the network is silent. */
const session = [
  "set timezone = 'UTC'",
  "set datestyle = 'ISO, YMD'",
  "set intervalstyle = 'postgres'",
  "set extra_float_digits = 1",
  "set bytea_output = 'hex'",
  "set statement_timeout = 0",
  "set idle_in_transaction_session_timeout = '60s'",
  // Compiling the comparisons would take longer than running them.
  "set jit = off",
].join("; ");

/** One connection to a cell or to the directory. It runs one statement at a time. */
export class Side {
  private constructor(
    readonly cell: string,
    readonly schema: string,
    private readonly client: pg.Client,
  ) {}

  static async open({ cell, url, schema }: Place): Promise<Side> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: "recado move",
    });
    // A running statement rejects by itself. Otherwise the next statement fails.
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query(session);
      if (schema) await client.query(`set search_path = ${searchPathOf(schema)}`);
      const { rows } = await client.query<{ schema: string }>("select current_schema() as schema");
      return new Side(cell, rows[0]?.schema ?? schema, client);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(text, values as unknown[])).rows;
  }

  /** Returns the number of rows that the statement changed. */
  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.client.query(text, values as unknown[])).rowCount ?? 0;
  }

  async transaction<Result>(manner: Manner, work: () => Promise<Result>): Promise<Result> {
    await this.client.query(beginnings[manner]);
    try {
      const result = await work();
      await this.client.query("commit");
      return result;
    } catch (error) {
      await this.client.query("rollback").catch(() => {});
      throw error;
    }
  }

  /**
   * Streams the rows of `query` into a table of `target`. Returns their number. If it fails, this connection ends: the
   * rest of the rows is never read, so its next statement would wait for ever.
   */
  async copyTo(target: Side, query: string, table: string, columns: readonly string[]): Promise<number> {
    const names = columns.map(pg.escapeIdentifier).join(", ");
    const given = this.client.query(copyTo(`copy (${query}) to stdout (format binary)`));
    const taken = target.client.query(copyFrom(`copy ${quoted(table)} (${names}) from stdin (format binary)`));
    // It emits a second error when the connection ends.
    given.on("error", () => {});
    try {
      await pipeline(given, taken);
    } catch (error) {
      await this.close();
      throw error;
    }
    return taken.rowCount;
  }

  close(): Promise<void> {
    return this.client.end().catch(() => {});
  }
}

/** Closes the connection when `work` has ended. */
export async function withSide<Result>(place: Place, work: (side: Side) => Promise<Result>): Promise<Result> {
  const side = await Side.open(place);
  try {
    return await work(side);
  } finally {
    await side.close();
  }
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
export const literal = (value: string): string => pg.escapeLiteral(value);
