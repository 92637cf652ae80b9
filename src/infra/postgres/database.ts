import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cancelStatementOf } from "./cancel-statement.ts";
import type { Names } from "./claimed-names.ts";
import { rethrow } from "./database-failure.ts";

/** PostgreSQL prepares a statement once per session, unless `name` is empty. Different texts need different names. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queries {
  /** Defined for queries of one business if there are several cells. With one cell, unique indexes suffice. */
  readonly names?: Names;
  /** @param signal - cancels the statement on the server; for long reads */
  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]>;
}

/** Gives a store access to the database outside of a transaction, and lets it start transactions. */
export interface Cell extends Queries {
  /**
   * Commits when `work` resolves and rolls back when it rejects. After a deadlock `work` runs again, so a rollback
   * must undo everything that `work` does.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

export interface DatabaseSettings {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which a statement is cancelled. */
  readonly statementTimeoutMs: number;
  /** Milliseconds to wait for a free connection. */
  readonly connectTimeoutMs: number;
  /** A query without an answer fails this many milliseconds after `statementTimeoutMs`; 5,000 unless given. */
  readonly silenceMs?: number;
  readonly applicationName?: string;
  /** The schema of all tables; the server's default unless given. */
  readonly schema?: string;
  /** Settings of each session, such as `{ jit: "off" }`. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  /** `on` unless given. */
  readonly statementNames?: StatementNames;
}

/**
 * `on`: no pooler, or a pooler in session mode. Each connection is one server session.
 * `kept`: a pooler in transaction mode that keeps prepared statements. `off`: a pooler that does not keep them.
 */
export type StatementNames = "on" | "kept" | "off";

const defaultSilenceMs = 5_000;
const deadlockDetected = "40P01";
const statementTimedOut = "57014";
const mostAttempts = 5;
/** The longest random pause before the second attempt, in milliseconds. It doubles with each later attempt. */
const firstPauseMs = 20;

export class Database implements Cell {
  private closing = false;
  private readonly siblings: Database[] = [];
  private readonly ownsSessions: boolean;
  private readonly begin: string;

  private constructor(
    private readonly settings: DatabaseSettings,
    private readonly onIdleError: (error: Error) => void,
    private readonly pool: pg.Pool,
  ) {
    this.ownsSessions = ownsSessions(settings);
    this.begin = this.ownsSessions ? "begin" : `begin; ${assignments("set local", settings)}`;
  }

  /** Calls `onIdleError` when an idle connection breaks. The pool replaces the connection. */
  static open(settings: DatabaseSettings, onIdleError: (error: Error) => void): Database {
    const { silenceMs = defaultSilenceMs } = settings;
    const pool = new pg.Pool({
      connectionString: settings.url,
      max: settings.poolSize,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      // Without this timeout a silent network would block requests and `close` for ever.
      query_timeout: settings.statementTimeoutMs + silenceMs,
      application_name: settings.applicationName ?? "recado",
      keepAlive: true,
      types: { getTypeParser },
      // PgBouncer refuses these settings in the startup message.
      ...(ownsSessions(settings) && {
        onConnect: async (client) => void (await client.query(assignments("set", settings))),
      }),
    });
    const database = new Database(settings, onIdleError, pool);
    pool.on("error", (error) => {
      if (!database.closing) onIdleError(error);
    });
    // The pool listens only to idle connections. Without a listener, a connection that breaks in use would end the
    // process. The caller hears of it anyway, because the query rejects.
    pool.on("connect", (client) => client.on("error", () => {}));
    return database;
  }

  /** A second pool for the same database, which is closed with this one. */
  beside(settings: Partial<DatabaseSettings>): Database {
    const sibling = Database.open({ ...this.settings, ...settings }, this.onIdleError);
    this.siblings.push(sibling);
    return sibling;
  }

  /** Repeating a statement after a deadlock is safe, since the deadlock has undone the whole statement. */
  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    if (!this.ownsSessions) return againAfterDeadlock(() => this.inTime(statement, values, signal));
    if (signal) return this.whileWanted(signal, (queries) => queries.rows<Row>(statement, values));
    return againAfterDeadlock(
      async () =>
        (await this.pool.query<Row>({ ...named(statement), values: values as unknown[] }).catch(rethrow)).rows,
    );
  }

  async ping(): Promise<void> {
    await this.pool.query("select 1");
  }

  stats(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return againAfterDeadlock(() => this.attempt(work));
  }

  private async whileWanted<Result>(
    signal: AbortSignal,
    work: (queries: Queries, client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    const client = await this.pool.connect().catch(rethrow);
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = cancelStatementOf(client, this.settings);
    };
    signal.addEventListener("abort", cancel);
    try {
      signal.throwIfAborted();
      return await work(this.queriesOn(client), client);
    } catch (error) {
      signal.throwIfAborted();
      return rethrow(error as Error);
    } finally {
      signal.removeEventListener("abort", cancel);
      // The cancellation must not hit the next statement of this connection.
      await cancelled;
      client.release(cancelled !== undefined);
    }
  }

  /** A pooler in transaction mode makes `statement_timeout` unreliable, so this process cancels late statements. */
  private async inTime<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<Row[]> {
    const late = new AbortController();
    const message = "canceling statement due to statement timeout";
    const timer = setTimeout(
      () => late.abort(Object.assign(new Error(message), { code: statementTimedOut })),
      this.settings.statementTimeoutMs,
    );
    try {
      const ends = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      return await this.whileWanted(ends, (queries, client) =>
        // The schema's search path is set only within a transaction.
        this.settings.schema
          ? this.inTransaction(client, () => queries.rows<Row>(statement, values))
          : queries.rows<Row>(statement, values),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  private async inTransaction<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result> {
    await client.query(this.begin);
    try {
      const result = await work();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    }
  }

  private async attempt<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect().catch(rethrow);
    let broken: Error | undefined;
    let isCommitting = false;
    try {
      await client.query(this.begin);
      const result = await work(this.queriesOn(client));
      isCommitting = true;
      await client.query("commit");
      return result;
    } catch (error) {
      const rollback = { text: "rollback", query_timeout: this.settings.silenceMs ?? defaultSilenceMs };
      await client.query(rollback).catch((failure: Error) => {
        broken = failure;
      });
      return rethrow(error as Error, isCommitting);
    } finally {
      client.release(broken);
    }
  }

  private queriesOn(client: pg.PoolClient): Queries {
    const isNamed = this.settings.statementNames !== "off";
    return {
      rows: async <Row extends object>(statement: Statement, values: readonly unknown[]) => {
        const { name, text } = named(statement);
        return (await client.query<Row>({ name: isNamed ? name : "", text, values: values as unknown[] })).rows;
      },
    };
  }

  async close(): Promise<void> {
    this.closing = true;
    await Promise.all([this.pool.end(), ...this.siblings.map((sibling) => sibling.close())]);
  }
}

const ownsSessions = ({ statementNames = "on" }: DatabaseSettings): boolean => statementNames === "on";

/** Only this schema: a table that is missing in a cell must not be found in another schema. */
export const searchPathOf = (schema: string): string => pg.escapeIdentifier(schema);

/** The statements for all settings, as one message. */
function assignments(verb: "set" | "set local", settings: DatabaseSettings): string {
  const values = {
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: settings.statementTimeoutMs * 2,
    ...settings.sessionSettings,
  };
  const assigned = Object.entries(values).map(
    ([name, value]) => `${verb} ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(String(value))}`,
  );
  if (settings.schema) assigned.push(`${verb} search_path = ${searchPathOf(settings.schema)}`);
  return assigned.join("; ");
}

async function againAfterDeadlock<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === mostAttempts || (error as { code?: unknown }).code !== deadlockDetected) throw error;
      // Without a random pause, transactions that repeat at the same time would collide again.
      await sleep(Math.random() * firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

const texts = new Map<string, string>();

/** Fails at once if two statements share a name. Without this check, only connections that run both would fail. */
function named(statement: Statement): Statement {
  const { name, text } = statement;
  if (name === "") return statement;
  const known = texts.get(name);
  if (known === undefined) texts.set(name, text);
  else if (known !== text) throw new Error(`two statements are called ${name}`);
  return statement;
}

const bigint = pg.types.builtins.INT8;
/** The oid of `bigint[]`, which the driver does not name. */
const bigints = 1016;

/** Ids and counts are numbers. A value that a number cannot hold exactly is an error. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`);
  return value;
}

const safeIntegers = (text: string): number[] => (text === "{}" ? [] : text.slice(1, -1).split(",").map(safeInteger));

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) => {
  if (oid === bigint) return safeInteger;
  return oid === bigints ? safeIntegers : pg.types.getTypeParser(oid, format as "text");
};
