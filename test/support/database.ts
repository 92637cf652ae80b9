import { createHash, randomInt } from "node:crypto";
import { readdir, readFile, statfs } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import {
  DirectoryInUse,
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../src/fixtures/postgres/embedded-postgres.ts";
import { migrate } from "../../src/infra/postgres/migrate.ts";
import { makeSecondCell } from "./two-cells.ts";

export interface TestDatabase {
  readonly url: string;
  /** Disconnects all clients first. Tests need not call this, since the end of the run drops all databases. */
  drop(): Promise<void>;
}

/** A new migrated database: a copy of a template that later runs on the same server can use again. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { server, template } = await theServer();
  return server.create(template);
}

/** Like `freshDatabase`, with a second cell: the schema `c2`. */
export async function twoCells(): Promise<TestDatabase> {
  const { server } = await theServer();
  doubled ??= server.prepareTemplate("_c2", makeSecondCell);
  return server.create(await doubled);
}

let doubled: Promise<string> | undefined;

export async function emptyDatabase(): Promise<TestDatabase> {
  const { server } = await theServer();
  return server.create("template0");
}

/** Drops this run's databases, and stops the server if it was started here. */
export async function closeTestServer(): Promise<void> {
  const opened = await starting?.catch(() => undefined);
  starting = undefined;
  doubled = undefined;
  delete (globalThis as { [opening]?: boolean })[opening];
  await opened?.server.close();
  await opened?.embedded?.stop();
}

interface Opened {
  readonly server: TestServer;
  readonly template: string;
  readonly embedded: EmbeddedPostgres | undefined;
}

let starting: Promise<Opened> | undefined;

function theServer(): Promise<Opened> {
  starting ??= open();
  return starting;
}

const opening = Symbol.for("recado: a test server is open");

/** Uses `TEST_DATABASE_URL`, whose user needs the right to create databases, or starts an embedded server. */
async function open(): Promise<Opened> {
  const shared = globalThis as { [opening]?: boolean };
  if (shared[opening])
    throw new Error("A test file imports a module with top-level await: mocha loads its imports a second time");
  shared[opening] = true;
  const given = process.env.TEST_DATABASE_URL;
  const embedded = given ? undefined : await startEmbedded();
  try {
    const server = await TestServer.connect(given || `${embedded?.url}`);
    const template = await server.prepareTemplate();
    return { server, template, embedded };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

const project = fileURLToPath(new URL("../../", import.meta.url));
const memory = "/dev/shm";
const memoryNeeded = 4 * 1024 ** 3;

/**
 * Puts the server's files in memory if there is room. A database has more than a thousand files: copying the template
 * takes 0.1 s in memory and 0.6 s on a disk. A directory on a disk is kept after the run, since the server starts
 * faster in an existing directory.
 */
async function startEmbedded(): Promise<EmbeddedPostgres> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < memoryNeeded) return startIn(`${project}.data/test-postgres`);
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 12);
  return startIn(`${memory}/recado-tests-${hash}`, { isKept: false });
}

/** Tries up to eight directories, since each concurrent run needs a directory of its own. */
async function startIn(base: string, { isKept = true, place = 1 } = {}): Promise<EmbeddedPostgres> {
  const directory = place === 1 ? base : `${base}-${place}`;
  try {
    const embedded = await startEmbeddedPostgres({
      directory,
      fsync: false,
      settings: { max_wal_size: "256MB" },
      log: (line) => console.error(line),
    });
    // `process.exit` stops the server. Without these handlers, a signal would leave the server running.
    process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
    if (isKept) return embedded;
    const stop = () => embedded.stop().then(() => removeEmbeddedPostgres(directory));
    return { ...embedded, stop };
  } catch (error) {
    if (!(error instanceof DirectoryInUse) || place === 8) throw error;
    return startIn(base, { isKept, place: place + 1 });
  }
}

/** Prefixes of our databases. Databases with other names are never dropped. */
const templatePrefix = "recado_template_";
const copyPrefix = "recado_test_";

/**
 * Several runs may share a server. While a run is connected, it holds an advisory lock on its number and a shared lock
 * on its template. Databases without a lock are leftovers.
 */
export class TestServer {
  private readonly run = randomInt(2 ** 31);
  private readonly copies = new Set<string>();
  private count = 0;

  private constructor(
    private readonly url: string,
    private readonly client: pg.Client,
    private readonly copying: string,
  ) {}

  static async connect(url: string): Promise<TestServer> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on("error", (error) => console.error(`The test server's connection broke: ${error.message}`));
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int version",
    );
    // Since PostgreSQL 15, the default strategy logs each page and takes 0.7 s on a disk. Copying files takes 0.6 s.
    const server = new TestServer(url, client, (rows[0]?.version ?? 0) >= 150_000 ? "strategy file_copy" : "");
    await server.lock("", `${copyPrefix}${server.run}`);
    return server;
  }

  async create(template: string): Promise<TestDatabase> {
    this.count += 1;
    const name = `${copyPrefix}${this.run}_${this.count}`;
    this.copies.add(name);
    await this.client.query(`create database ${name} template ${template} ${this.copying}`);
    const drop = async () => {
      await this.client.query(`drop database if exists ${name} with (force)`);
      this.copies.delete(name);
    };
    return { url: this.urlOf(name), drop };
  }

  /** Creates the migrated template, unless an earlier run left one with the same migrations. Returns its name. */
  async prepareTemplate(kind = "", more: (url: string) => Promise<void> = async () => {}): Promise<string> {
    const name = `${templatePrefix}${await migrationsHash()}${kind}`;
    await this.lock("", templatePrefix);
    try {
      await this.lock("_shared", name);
      await this.dropLeftovers();
      const { rowCount } = await this.client.query("select from pg_database where datname = $1", [name]);
      if (rowCount === 0) await this.createTemplate(name, more);
      return name;
    } finally {
      await this.unlock(templatePrefix);
    }
  }

  /** Drops unused templates and the databases of finished runs. */
  async dropLeftovers(): Promise<void> {
    const names = "select datname as name from pg_database where datname like $1 or datname like $2";
    const { rows } = await this.client.query<{ name: string }>(names, [`${templatePrefix}%`, `${copyPrefix}%`]);
    for (const { name } of rows) {
      const holder = name.startsWith(copyPrefix) ? name.replace(/_\d+$/, "") : name;
      if (!(await this.isFree(holder))) continue;
      // Copies are not altered: a copy whose removal was interrupted is invalid and can only be dropped.
      if (name.startsWith(templatePrefix)) await this.client.query(`alter database ${name} is_template false`);
      await this.client.query(`drop database ${name} with (force)`);
    }
  }

  async close(): Promise<void> {
    for (const name of this.copies) await this.client.query(`drop database if exists ${name} with (force)`);
    await this.client.end();
  }

  /** Leaves everything behind, like a killed run. */
  async abandon(): Promise<void> {
    await this.client.end();
  }

  /** The template gets its name when it is complete. Connections are forbidden, since they would prevent copying. */
  private async createTemplate(name: string, more: (url: string) => Promise<void>): Promise<void> {
    const unfinished = `${copyPrefix}${this.run}_0`;
    await this.client.query(`create database ${unfinished} template template0`);
    await migrate({ url: this.urlOf(unfinished) });
    await more(this.urlOf(unfinished));
    // The database is renamed before it becomes a template, because `dropLeftovers` could not drop a template that a
    // killed run left with the old name.
    await this.client.query(`alter database ${unfinished} rename to ${name}`);
    await this.client.query(`alter database ${name} with is_template true allow_connections false`);
  }

  private async lock(kind: "" | "_shared", name: string): Promise<void> {
    await this.client.query(`select pg_advisory_lock${kind}(hashtextextended($1, 0))`, [name]);
  }

  private async unlock(name: string): Promise<void> {
    await this.client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]);
  }

  /** Reads the list of locks, since `pg_try_advisory_lock` would also succeed for the locks that this run holds. */
  private async isFree(name: string): Promise<boolean> {
    const { rows } = await this.client.query<{ free: boolean }>(
      `select not exists (
         select from pg_locks
         where locktype = 'advisory' and objsubid = 1
           and database = (select oid from pg_database where datname = current_database())
           and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)
       ) as free`,
      [name],
    );
    return rows[0]?.free === true;
  }

  private urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = database;
    return url.href;
  }
}

async function migrationsHash(): Promise<string> {
  const directory = fileURLToPath(new URL("../../migrations/", import.meta.url));
  const hash = createHash("sha256");
  for (const name of (await readdir(directory)).sort()) {
    hash.update(name).update(await readFile(`${directory}${name}`));
  }
  return hash.digest("hex").slice(0, 12);
}
