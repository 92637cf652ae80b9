import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { MongoClient } from "@agendajs/mongo-backend";
import type { AgendaBackend, JobParameters } from "agenda";
import { expect } from "chai";
import pg from "pg";
import { AgendaClock } from "../../src/infra/jobs/agenda-clock.ts";
import { passiveBackend, saveNothingOf } from "../../src/infra/jobs/store.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";
import { clockContract } from "./clock-contract.ts";
import { Recorder, recordingLog } from "./recorder.ts";

const oneDay = 86_400;
/** Milliseconds within which a process takes over the locks of a dead or frozen one, even on a busy machine. */
const takeOverMs = 10_000;

describe("the clock on PostgreSQL", () => {
  let database: TestDatabase;
  let admin: pg.Client;

  before(async () => {
    database = await emptyDatabase();
    admin = new pg.Client(database.url);
    admin.on("error", () => {});
    await admin.connect();
  });
  beforeEach(() => admin.query("drop table if exists agenda_jobs, agenda_logs"));
  after(async () => {
    await admin.end();
    await database.drop();
  });

  describe("like any clock", () => clockContract(() => ({ databaseUrl: database.url })));

  describe("in case of failures", function () {
    this.timeout(3 * takeOverMs);
    let clock: AgendaClock | undefined;
    let proxy: Detour | undefined;
    let other: ChildProcess | undefined;
    const log = recordingLog();

    afterEach(async () => {
      await clock?.stop();
      await proxy?.close();
      other?.kill("SIGKILL");
      clock = proxy = other = undefined;
    });

    const connections = async (): Promise<number> => {
      const { rows } = await admin.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      return rows[0]?.count ?? 0;
    };

    /** Starts a process and waits for its first tick. `seen.ticks` counts its ticks. */
    async function tickingProcess() {
      const entry = fileURLToPath(new URL("./clock-process.ts", import.meta.url));
      const child = spawn(process.execPath, ["--import", "tsx", entry, database.url], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      other = child;
      const seen = { ticks: 0 };
      child.stdout.on("data", (lines: Buffer) => {
        seen.ticks += lines.toString().length / "tick\n".length;
      });
      await eventually(() => seen.ticks > 0, takeOverMs);
      return { child, seen };
    }

    it("continues after all its connections were killed", async () => {
      const often = new Recorder();
      const ticks = [{ name: "often", everySeconds: 0.1, run: often.run }];
      clock = new AgendaClock({ databaseUrl: database.url, ticks, log });
      await clock.start();
      await eventually(() => often.ended >= 2);
      for (let round = 0; round < 3; round++) {
        await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        const before = often.ended;
        await eventually(() => often.ended >= before + 2);
      }
      await clock.stop();
      await eventually(async () => (await connections()) === 0);
    });

    it("starts without the database, and runs ticks after it returns", async () => {
      proxy = await Detour.to(database.url);
      await proxy.cut();
      const daily = new Recorder();
      const ticks = [{ name: "daily", everySeconds: oneDay, run: daily.run }];
      const lines = recordingLog();
      clock = new AgendaClock({ databaseUrl: proxy.url, ticks, log: lines });
      await clock.start();
      expect(lines.lines.map(({ level }) => level)).to.deep.equal(["warn"]);
      await proxy.restore();
      await eventually(() => daily.ended === 1);
    });

    it("runs ticks without its database if other databases need them, and continues after it returns", async () => {
      proxy = await Detour.to(database.url);
      await proxy.cut();
      const often = new Recorder();
      const ticks = [{ name: "often", everySeconds: 0.1, run: often.run }];
      const lines = recordingLog();
      clock = new AgendaClock({ databaseUrl: proxy.url, ticks, log: lines, ticksMeanwhile: true });
      await clock.start();
      await eventually(() => often.ended >= 2);
      await proxy.restore();
      await eventually(() => lines.lines.some(({ level }) => level === "info"));
      const before = often.ended;
      await eventually(() => often.ended >= before + 2);
      expect(often.overlapped).to.equal(false);
    });

    it("starts even if its connection is killed while it creates its tables", async () => {
      await admin.query("begin; create table agenda_jobs ()");
      const daily = new Recorder();
      clock = new AgendaClock({
        databaseUrl: database.url,
        ticks: [{ name: "daily", everySeconds: oneDay, run: daily.run }],
        log,
      });
      const started = clock.start();
      await eventually(async () => {
        await admin.query("select pg_stat_clear_snapshot()");
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()
             and exists (select from pg_stat_activity where wait_event_type = 'Lock')`,
        );
        return rowCount === 1;
      });
      await admin.query("rollback");
      await started;
      await eventually(() => daily.ended === 1);
    });

    it("can stop without the database", async () => {
      proxy = await Detour.to(database.url);
      const often = new Recorder();
      const ticks = [{ name: "often", everySeconds: 0.1, run: often.run }];
      clock = new AgendaClock({ databaseUrl: proxy.url, ticks, log });
      await clock.start();
      await eventually(() => often.ended >= 1);
      await proxy.cut();
      await clock.stop();
      const ended = often.begun;
      await proxy.restore();
      await clock.stop();
      expect(often.begun).to.equal(ended);
    });

    it("runs the ticks of a process that was killed", async () => {
      const { child } = await tickingProcess();
      const often = new Recorder();
      clock = new AgendaClock({
        databaseUrl: database.url,
        ticks: [{ name: "often", everySeconds: 0.1, run: often.run }],
        log,
      });
      await clock.start();
      child.kill("SIGKILL");
      await eventually(() => often.ended >= 2, takeOverMs);
    });

    it("keeps ticks that it took over from a frozen process that continues", async () => {
      const { child, seen } = await tickingProcess();
      const [often, lines] = [new Recorder(), recordingLog()];
      const ticks = [{ name: "often", everySeconds: 0.1, run: often.run }];
      clock = new AgendaClock({ databaseUrl: database.url, ticks, log: lines });
      await clock.start();
      child.kill("SIGSTOP");
      await eventually(() => often.ended >= 2, takeOverMs);
      const before = seen.ticks;
      child.kill("SIGCONT");
      await eventually(() => seen.ticks > before, takeOverMs);
      // The other process must stop ticking when it next checks its lock. It checks the lock every two seconds. In two
      // seconds, this process ticks 20 times.
      let [theirs, ours] = [seen.ticks, often.ended];
      await eventually(() => {
        if (seen.ticks > theirs) [theirs, ours] = [seen.ticks, often.ended];
        return often.ended >= ours + 20;
      }, takeOverMs);
      expect(lines.lines).to.deep.equal([]);
    });

    it("leaves nothing that keeps the process alive", async () => {
      const { child } = await tickingProcess();
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      expect(code).to.equal(0);
      expect(await connections()).to.equal(0);
    });
  });
});

describe("the store of a clock", () => {
  it("saves no run whose lock another process has", async () => {
    const saved: unknown[] = [];
    const repository = {
      saveJobState: async (job: unknown) => void saved.push(job),
      unlockJob: async () => {},
    } as unknown as AgendaBackend["repository"];
    const backend = passiveBackend({ name: "fake", repository }, () => {});
    const [lost, held] = [{ name: "a" }, { name: "a" }] as JobParameters[];
    saveNothingOf(lost as JobParameters);
    await backend.repository.saveJobState(lost as JobParameters, undefined);
    await backend.repository.saveJobState(held as JobParameters, undefined);
    expect(saved).to.deep.equal([held]);
  });

  it("repeats a failed save, and reports locks that it cannot release", async () => {
    const [saved, reported]: [unknown[], unknown[]] = [[], []];
    const trouble = new Error("gone");
    const repository = {
      saveJobState: async (job: unknown) => {
        saved.push(job);
        if (saved.length === 1) throw trouble;
      },
      unlockJob: () => Promise.reject(trouble),
    } as unknown as AgendaBackend["repository"];
    const backend = passiveBackend({ name: "fake", repository }, (error) => reported.push(error));
    const job = { name: "a" } as JobParameters;
    await backend.repository.saveJobState(job, undefined);
    await backend.repository.unlockJob(job);
    expect(saved).to.deep.equal([job, job]);
    expect(reported).to.deep.equal([trouble, trouble]);
  });
});

describe("the clock on MongoDB", () => {
  const uri = process.env.MONGODB_URI;

  before(function () {
    if (uri) return;
    console.log("      no MongoDB: set MONGODB_URI to one to run these");
    this.skip();
  });

  let mongoUri: string;
  beforeEach(() => {
    const url = new URL(uri ?? "");
    url.pathname = `recado_clock_${process.pid}_${Date.now()}`;
    mongoUri = url.href;
  });
  afterEach(async () => {
    const client = await MongoClient.connect(mongoUri);
    await client.db().dropDatabase();
    await client.close();
  });

  clockContract(() => ({ databaseUrl: "", mongoUri }));
});

/** A proxy in front of PostgreSQL that can be cut off. */
class Detour {
  private readonly sockets = new Set<Socket>();
  private port = 0;

  private constructor(
    private readonly target: URL,
    private server: Server,
  ) {}

  static async to(databaseUrl: string): Promise<Detour> {
    const proxy = new Detour(new URL(databaseUrl), createServer());
    await proxy.restore();
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = "127.0.0.1";
    url.port = String(this.port);
    return url.href;
  }

  async restore(): Promise<void> {
    this.server = createServer((incoming) => {
      const outgoing = connectSocket(Number(this.target.port), this.target.hostname);
      for (const socket of [incoming, outgoing]) {
        this.sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.sockets.delete(socket);
          incoming.destroy();
          outgoing.destroy();
        });
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = (this.server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.cut();
  }
}
