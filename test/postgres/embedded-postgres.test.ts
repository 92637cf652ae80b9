import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { serverAccount } from "../../src/fixtures/postgres/account.ts";
import { installedPackage, usableBinaries } from "../../src/fixtures/postgres/binaries.ts";
import {
  DirectoryInUse,
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../src/fixtures/postgres/embedded-postgres.ts";
import { dataDirectory, settledPath, shelter } from "../../src/fixtures/postgres/place.ts";
import { disownPidFile, isAlive, readPidFile, serverWith } from "../../src/fixtures/postgres/server-process.ts";
import { eventually } from "../support/wait.ts";
import { valuesOf } from "./query.ts";

const root = process.getuid?.() === 0;

describe("embedded PostgreSQL", () => {
  let parent: string;
  /** The tests share this directory and accept it in any state, since creating a cluster takes seconds. */
  let directory: string;
  const servers: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  let lines: string[];

  const start = async (settings: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}) => {
    const log = (line: string) => lines.push(line);
    const server = await startEmbeddedPostgres({ directory, fsync: false, log, ...settings });
    servers.push(server);
    return server;
  };

  /** Starts a server in the directory from another process. */
  const startElsewhere = async () => {
    const holder = spawn(process.execPath, ["--import", "tsx", script("holder.ts"), directory], { stdio: "pipe" });
    children.push(holder);
    const [output] = await once(holder.stdout, "data");
    return { holder, server: JSON.parse(String(output)) as { url: string; pid: number } };
  };

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "recado-test-"));
    await chmod(parent, 0o755);
    directory = join(parent, "postgres");
  });

  beforeEach(() => {
    lines = [];
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    for (const child of children.splice(0)) await kill(child);
  });

  after(async () => {
    await removeEmbeddedPostgres(directory);
    await rm(parent, { recursive: true, force: true });
  });

  it("keeps its data, answers on 127.0.0.1 only with its password, and leaves no process", async () => {
    const first = await start({ database: "shop", settings: { max_connections: "23" } });
    await valuesOf(first.url, "create table if not exists kept (note text)");
    await valuesOf(first.url, "insert into kept values ('from the first run')");
    expect(new URL(first.url)).to.include({ hostname: "127.0.0.1", pathname: "/shop", username: "postgres" });
    expect(await valuesOf(first.url, "show max_connections")).to.deep.equal(["23"]);
    expect(await valuesOf(first.url, "show server_version")).to.match(/^18\./);

    await Promise.all([first.stop(), first.stop()]);
    expect(isAlive(first.pid)).to.equal(false);

    const second = await start({ database: "shop" });
    expect(await valuesOf(second.url, "select distinct note from kept")).to.deep.equal(["from the first run"]);
    const stranger = new URL(second.url);
    stranger.password = "guessed";
    expect(await failure(valuesOf(stranger.href, "select 1"))).to.match(/password authentication failed/);
  });

  it("runs as an ordinary user if root starts it, with files that others cannot read", async () => {
    await start();
    const found = await stat(dataDirectory(await settledPath(directory)));
    expect(found.uid).to.not.equal(0);
    expect((await stat(directory)).mode & 0o777).to.equal(0o700);
    const password = join(directory, "cluster", "password");
    expect((await stat(password)).mode & 0o777).to.equal(0o600);
  });

  it("uses another port if the requested one is busy", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    try {
      const server = await start({ port });
      expect(new URL(server.url).port).to.not.equal(String(port));
      expect(await valuesOf(server.url, "select 1")).to.deep.equal([1]);
    } finally {
      other.close();
    }
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    expect(new URL((await start({ port })).url).port).to.equal(String(port));
  });

  it("stops the server that a killed process left running", async () => {
    const { holder, server: left } = await startElsewhere();
    await valuesOf(left.url, "create table if not exists survives (n int)");
    await kill(holder);
    expect(isAlive(left.pid)).to.equal(true);

    const server = await start();
    expect(server.pid).to.not.equal(left.pid);
    expect(lines.join()).to.include(`process ${left.pid}`);
    expect(await valuesOf(server.url, "select n from survives")).to.deep.equal([]);
  });

  it("stops with a process that did not stop it", async () => {
    const { holder, server } = await startElsewhere();
    holder.stdin?.end();
    await ended(holder);
    await eventually(() => !isAlive(server.pid));
  });

  it("does not get Ctrl-C from its process's terminal", async function () {
    if (process.platform !== "linux") return this.skip();
    const { pid } = await start();
    const [, , group] = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
    expect(group).to.equal(String(pid));
  });

  it("refuses a directory whose server another process uses", async () => {
    const { holder, server: used } = await startElsewhere();
    const refusal = await start().catch((error: Error) => error);
    expect(refusal).to.be.instanceOf(DirectoryInUse);
    expect((refusal as Error).message)
      .to.include(`process ${holder.pid}`)
      .and.include("DATABASE_URL");
    expect(await valuesOf(used.url, "select 1")).to.deep.equal([1]);
  });

  it("recovers after its server was killed with kill -9, and logs that it ended", async () => {
    const server = await start();
    await valuesOf(server.url, "create table if not exists committed (n int)");
    process.kill(server.pid, "SIGKILL");
    await eventually(() => lines.join().includes("ended by itself"));

    const { url } = await start();
    expect(await valuesOf(url, "select n from committed")).to.deep.equal([]);
  });

  it("does not stop another program that has the number in an old pid file", async () => {
    const server = await start();
    process.kill(server.pid, "SIGKILL");
    await eventually(() => lines.join().includes("ended by itself"));
    const stranger = spawn("sleep", ["60"], { ...(await serverAccount(directory)), stdio: "ignore" });
    children.push(stranger);
    const pidFile = join(dataDirectory(await settledPath(directory)), "postmaster.pid");
    await writeFile(pidFile, (await readFile(pidFile, "utf8")).replace(/^\d+/, String(stranger.pid)));

    expect(await valuesOf((await start()).url, "select 1")).to.deep.equal([1]);
    expect(stranger.exitCode ?? stranger.signalCode).to.equal(null);
  });

  it("leaves the pid file of a server that was started after the file was read", async () => {
    const { pid: ended = 0 } = await kill(spawn("sleep", ["60"]));
    const { pid, url } = await start();
    const data = dataDirectory(await settledPath(directory));
    await disownPidFile(data, ended);
    expect((await readPidFile(data))?.pid).to.equal(pid);
    expect(await valuesOf(url, "select 1")).to.deep.equal([1]);
  });

  it("refuses the data of another version, and leaves it unchanged", async () => {
    await (await start()).stop();
    const version = join(dataDirectory(await settledPath(directory)), "PG_VERSION");
    const before = await readFile(version, "utf8");
    try {
      await writeFile(version, "17\n");
      expect(await failure(start()))
        .to.match(/server[.]log.*database files are incompatible/s)
        .and.include("make clean");
    } finally {
      await writeFile(version, before);
    }
    expect(await valuesOf((await start()).url, "select 1")).to.deep.equal([1]);
  });

  it("serves only the first of two that create it at once, and tells the other one, even after a killed creation", async () => {
    const raced = join(parent, "raced");
    const { pid = 0 } = await ended(spawn("true"));
    await mkdir(join(raced, `new-${pid}-abc`), { recursive: true });
    const account = await serverAccount(raced);
    if (account !== undefined) await chown(raced, account.uid, account.gid);

    const outcomes = await Promise.allSettled([start({ directory: raced }), start({ directory: raced })]);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).to.have.length(1);
    expect(refused[0]?.reason).to.be.instanceOf(DirectoryInUse);
    expect(await valuesOf(servers[0]?.url ?? "", "select 1")).to.deep.equal([1]);
    expect((await readdir(raced)).filter((name) => name.startsWith("new-"))).to.deep.equal([]);
  });

  it("starts one server if several processes ask for it at once, and says to the others that it is in use", async () => {
    for (let round = 0; round < 5; round += 1) {
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => start()));
      const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(refusals).to.have.length(4);
      for (const refusal of refusals) expect(refusal).to.be.instanceOf(DirectoryInUse);
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    }
  });

  it("waits until another server has written its pid into the lock file, and says then that it is in use", async () => {
    await (await start()).stop();
    const stranger = spawn("sleep", ["60"], { ...(await serverAccount(directory)), stdio: "ignore" });
    children.push(stranger);
    const data = dataDirectory(await settledPath(directory));
    const pidFile = join(data, "postmaster.pid");
    await writeFile(pidFile, "");
    try {
      const starting = start().catch((error: Error) => error);
      const log = join(directory, "server.log");
      await eventually(async () => (await readFile(log, "utf8")).includes('"postmaster.pid" is empty'));
      await writeFile(pidFile, `${stranger.pid}\n${data}\n`);
      expect(await starting).to.be.instanceOf(DirectoryInUse);
    } finally {
      await rm(pidFile, { force: true });
    }
  });

  it("leaves no server behind if its log cannot be moved to its place", async () => {
    await (await start()).stop();
    const log = join(directory, "server.log");
    await rm(log);
    await mkdir(log);
    try {
      expect(await failure(start())).to.include("server.log");
      const data = dataDirectory(await settledPath(directory));
      const left = await readPidFile(data);
      expect(left && (await serverWith(left.pid, data))).to.equal(undefined);
    } finally {
      await rm(log, { recursive: true });
    }
    expect(await valuesOf((await start()).url, "select 1")).to.deep.equal([1]);
  });

  it("can be removed while it runs", async () => {
    await start();
    await removeEmbeddedPostgres(directory);
    await eventually(() => lines.join().includes("ended by itself"));
    expect(await exists(directory)).to.equal(false);
  });

  describe("under a directory that only root can enter", () => {
    it("stores its data and a copy of its binaries in another place, and removes both", async function () {
      if (!root) return this.skip();
      const home = join(parent, "home");
      await mkdir(home, { mode: 0o700 });
      const wished = join(home, ".data", "postgres");
      const elsewhere = shelter(await settledPath(wished));

      const server = await start({ directory: wished });
      expect(await valuesOf(server.url, "show data_directory")).to.deep.equal([dataDirectory(elsewhere)]);
      expect(await readdir(wished)).to.deep.equal(["moved-to"]);
      await server.stop();
      await valuesOf((await start({ directory: wished })).url, "select 1");

      await removeEmbeddedPostgres(wished);
      expect([await exists(wished), await exists(elsewhere)]).to.deep.equal([false, false]);
    });

    it("refuses data of another user in a public place", async function () {
      if (!root) return this.skip();
      const home = join(parent, "other-home");
      await mkdir(home, { mode: 0o700 });
      const wished = join(home, "postgres");
      await mkdir(wished);
      await writeFile(join(wished, "moved-to"), "");
      const elsewhere = shelter(await settledPath(wished));
      await mkdir(elsewhere);
      await chown(elsewhere, 12345, 12345);
      try {
        expect(await failure(start({ directory: wished }))).to.include("belongs to another user (uid 12345)");
      } finally {
        await rm(elsewhere, { recursive: true });
      }
    });
  });

  describe("the binaries of embedded PostgreSQL", () => {
    it("are repaired if npm ran no install script, and copied if the server's user cannot reach them", async () => {
      const home = join(parent, "modules");
      await mkdir(home, { mode: 0o700 });
      const unlinked = join(home, "package");
      await cp(installedPackage(), unlinked, { recursive: true, filter: withoutLinks });
      const place = await mkdir(join(parent, "copied"), { recursive: true });

      const account = await serverAccount(parent);
      const binaries = await usableBinaries(unlinked, `${place}`, account);
      expect((await readdir(join(unlinked, "native", "lib"))).length).to.be.above(20);
      expect(binaries.startsWith(root ? `${place}` : unlinked)).to.equal(true);
    });

    it("cause an error with advice if this machine cannot run them", async () => {
      const foreign = join(parent, "foreign");
      await mkdir(join(foreign, "native", "bin"), { recursive: true });
      const postgres = join(foreign, "native", "bin", "postgres");
      // The kernel reports the same error for this file as for a glibc binary on a musl system.
      await writeFile(postgres, "#!/lib/no-such-loader.so\n", { mode: 0o755 });
      expect(await failure(usableBinaries(foreign, parent, undefined))).to.match(/glibc.*musl.*DATABASE_URL/s);

      await writeFile(postgres, "#!/bin/sh\necho GLIBC_2.99 not found >&2; exit 1\n");
      expect(await failure(usableBinaries(foreign, parent, undefined))).to.match(/GLIBC_2.99 not found.*DATABASE_URL/s);
    });

    it("cause an error with advice if they are missing", () => {
      expect(() => installedPackage("sunos", "x64")).to.throw(/sunos on x64.*DATABASE_URL/);
      expect(() => installedPackage(process.platform, process.arch, "file:///nowhere/module.js")).to.throw(
        /npm ci.*DATABASE_URL/,
      );
    });
  });

  it("asks root to name a user if the system has none", async function () {
    if (!root) return this.skip();
    const account = serverAccount(join(parent, "nothing"), ["no-such-user"]);
    expect(await failure(account)).to.match(/no user no-such-user.*DATABASE_URL/);
  });
});

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no failure",
    (error: Error) => error.message,
  );

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Skips links, because npm does not unpack them. Also skips files that `postgres --version` does not need. */
const withoutLinks = async (path: string) =>
  !(await lstat(path)).isSymbolicLink() && !/[.]a$|native.(share|lib.postgresql)$/.test(path);

async function ended(child: ChildProcess): Promise<ChildProcess> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child;
}

function kill(child: ChildProcess): Promise<ChildProcess> {
  child.kill("SIGKILL");
  return ended(child);
}
