import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { testedFrom } from "../support/program.ts";

/** Files and folders of the project that the commands need in their working folder. */
const linked = [
  ...["Makefile", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
  ...["client", "config", "migrations", "node_modules", "src"],
];

/** The commands in a page of the documentation. */
async function commandsOf(page: string): Promise<string[]> {
  const text = await readFile(page, "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Creates a working folder for the commands, so that they do not affect a running installation. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "recado-empty-"));
  for (const name of linked) await symlink(resolve(name), join(folder, name));
  if (testedFrom === "dist") {
    await symlink(resolve("dist"), join(folder, "dist"));
  } else {
    // `make start` runs `dist/src/main.js`. In this folder, that file runs the sources.
    await mkdir(join(folder, "dist/src"), { recursive: true });
    await writeFile(join(folder, "dist/src/main.js"), `import ${JSON.stringify(resolve("src/main.ts"))};\n`);
  }
  // With these files, `make` skips the builds.
  for (const built of ["dist", "console/dist"]) {
    await mkdir(join(folder, built), { recursive: true });
    await writeFile(join(folder, built, ".built"), "");
  }
  return folder;
}

describe("the documentation: from an empty installation to the first message", () => {
  let database: TestDatabase;
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  const started: ChildProcess[] = [];

  /** Runs the command in a process group of its own, so that all its processes can be stopped. */
  const run = (command: string, args: readonly string[], given: NodeJS.ProcessEnv = {}) => {
    const child = spawn(command, args, { cwd: folder, env: { ...environment, ...given }, detached: true });
    started.push(child);
    return child;
  };

  before(async () => {
    database = await emptyDatabase();
    folder = await newFolder();
    const { PATH, HOME, TMPDIR } = process.env;
    environment = {
      ...{ PATH, HOME, TMPDIR, ...(testedFrom === "src" && { NODE_OPTIONS: "--import=tsx" }) },
      PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      SYSTEM_PORT: String(await freePort()),
    };
  });
  after(async () => {
    for (const { pid } of started) {
      try {
        process.kill(-Number(pid), "SIGKILL");
      } catch {
        // The process has already ended.
      }
    }
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  it("sends a message to a customer, and an order event to a business's system, by its literal commands", async () => {
    const commands = await commandsOf("docs/from-empty.md");
    expect(commands).to.have.length(2);

    const standIns = run("make", ["stand-ins"], { DATABASE_URL: database.url });
    await new Promise<void>((ready, failed) => {
      let said = "";
      for (const stream of [standIns.stdout, standIns.stderr]) {
        stream.on("data", (chunk) => {
          said += chunk;
          if (said.includes("Ctrl-C stops everything")) ready();
        });
      }
      standIns.on("exit", () => failed(new Error(said)));
    });

    const session = run("bash", ["-eu", "-o", "pipefail", "-c", commands.join("\n")]);
    const [said, complaints, [code]] = await Promise.all([
      text(session.stdout),
      text(session.stderr),
      once(session, "close"),
    ]);
    expect(code, `${said}\n${complaints}`).to.equal(0);
    expect(said).to.include('{"success":true}');
    expect(said).to.include(`"name":"pedido_listo","language":"es","parameters":["Ana","1024"]`);
    const heard = said.split("\n").filter((line) => line.startsWith("order.changed"));
    expect(heard).to.deep.equal(["order.changed 1 status 8 total 64", "order.changed 1 status 1 total 64"]);
    expect(said).to.not.include("EAAG-stand-in");
  });
});
