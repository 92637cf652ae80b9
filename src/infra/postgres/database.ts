import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cancelStatementOf } from "./cancel-statement.ts";
import type { Names } from "./names.ts";
import { throwAway } from "./own-trouble.ts";

/** A statement that PostgreSQL plans once per session; `name` is unique to its text, or empty for one that runs once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queries {
  /** Names that must be found before it is known whose they are; undefined where the tables alone tell that. */
  readonly names?: Names;
  /** @param signal - has the server end the statement when it is aborted; for reads that take long */
  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]>;
}

/** What a store asks outside of a transaction. */
export interface Cell extends Queries {
  /**
   * Commits when `work` resolves and rolls back when it rejects. After a deadlock everything is undone and `work` is
   * run again, three times in all: it must do nothing that a rollback does not undo.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

export interface DatabaseSettings {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeoutMs: number;
  /** Milliseconds to wait for a free connection before the caller gets an error. */
  readonly connectTimeoutMs: number;
  /** Milliseconds beyond `statementTimeoutMs` after which a silent connection counts as lost; 5,000 unless given. */
  readonly silenceMs?: number;
  readonly applicationName?: string;
  /** The schema in which everything is, unless it is the one that the server takes by itself. */
  readonly schema?: string;
  /** Settings of each session, by their names: `{ jit: "off" }`. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  /** `on` unless given. */
  readonly statementNames?: StatementNames;
}

/**
 * `on`: a connection is a session of the server, as without a pooler or behind one in session mode. `kept` and `off`: a
 * pooler in transaction mode gives each transaction any session, and keeps the names of prepared statements or does not.
 */
export type StatementNames = "on" | "kept" | "off";

const defaultSilenceMs = 5_000;
const deadlockDetected = "40P01";
const statementTimedOut = "57014";
const mostAttempts = 5;
/** Milliseconds at most before the second attempt; before each later one twice as many. */
const firstPauseMs = 20;

/** A pool of connections. Hot statements are prepared; a transaction hands over its own `Queries`. */
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

  /** `onIdleError` hears of connections that broke while nobody used them; the pool replaces them by itself. */
  static open(settings: DatabaseSettings, onIdleError: (error: Error) => void): Database {
    const { silenceMs = defaultSilenceMs } = settings;
    const pool = new pg.Pool({
      connectionString: settings.url,
      max: settings.poolSize,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      // A network that swallows everything would otherwise hang requests, and `close`, for good.
      query_timeout: settings.statementTimeoutMs + silenceMs,
      application_name: settings.applicationName ?? "recado",
      keepAlive: true,
      types: { getTypeParser },
      // PgBouncer refuses connections that bring these settings with their first message.
      ...(ownsSessions(settings) && {
        onConnect: async (client) => void (await client.query(assignments("set", settings))),
      }),
    });
    const database = new Database(settings, onIdleError, pool);
    pool.on("error", (error) => {
      if (!database.closing) onIdleError(error);
    });
    // The pool listens to idle connections only. One that breaks in use fails its query, which its user hears of;
    // without a listener the error would end the process besides.
    pool.on("connect", (client) => client.on("error", () => {}));
    return database;
  }

  /** Connections of their own to the same database, closed with these. */
  beside(settings: Partial<DatabaseSettings>): Database {
    const sibling = Database.open({ ...this.settings, ...settings }, this.onIdleError);
    this.siblings.push(sibling);
    return sibling;
  }

  /** A statement on its own that got into a deadlock was undone whole, so it is simply run again. */
  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    if (!this.ownsSessions) return againAfterDeadlock(() => this.inTime(statement, values, signal));
    if (signal) return this.whileWanted(signal, (queries) => queries.rows<Row>(statement, values));
    return againAfterDeadlock(
      async () =>
        (await this.pool.query<Row>({ ...named(statement), values: values as unknown[] }).catch(throwAway)).rows,
    );
  }

  /** Rejects unless the database answers. */
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
    const client = await this.pool.connect().catch(throwAway);
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
      return throwAway(error as Error);
    } finally {
      signal.removeEventListener("abort", cancel);
      // A cancellation that comes late would end somebody else's statement.
      await cancelled;
      client.release(cancelled !== undefined);
    }
  }

  /** A statement outside of a transaction, where the server does not know how long it may take. */
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
        // A session of a pooler knows the schema for one transaction only.
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
    const client = await this.pool.connect().catch(throwAway);
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
      return throwAway(error as Error, isCommitting);
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

/** No other schema: what a cell lacks must not be found in another one. */
export const searchPathOf = (schema: string): string => pg.escapeIdentifier(schema);

/** All of them in one message; milliseconds are PostgreSQL's own unit for them. */
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
      // Those that met may be many: begun again at once they would meet again.
      await sleep(Math.random() * firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

const texts = new Map<string, string>();

/** A name that two statements share would fail only on connections that have met both: here it fails at once. */
function named(statement: Statement): Statement {
  const { name, text } = statement;
  if (name === "") return statement;
  const known = texts.get(name);
  if (known === undefined) texts.set(name, text);
  else if (known !== text) throw new Error(`two statements are called ${name}`);
  return statement;
}

const bigint = pg.types.builtins.INT8;
/** The type `bigint[]`, for which the driver has no name. */
const bigints = 1016;

/** Ids and counts are numbers here; one that a number cannot hold exactly is an error, never a wrong value. */
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
