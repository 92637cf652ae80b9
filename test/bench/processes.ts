import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { request } from "../support/http.ts";

/** The root of this checkout. Child processes run there by default, since they read settings from `config/`. */
const ownRoot = fileURLToPath(new URL("../../", import.meta.url));
const startMs = 60_000;
const stopMs = 25_000;
const keptLines = 40;

/** Memory after garbage collection, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

/** A child process with an HTTP server. It ends with this process. */
export interface OwnProcess {
  readonly url: string;
  readonly pid: number;
  memory(): Promise<Memory>;
  /** The peak RSS in bytes. */
  peakBytes(): Promise<number>;
  /** The CPU time so far in ms. Forces no garbage collection, because a collection discards compiled code. */
  cpuMs(): Promise<number>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Rejects if the process exits with an error. */
  stop(): Promise<void>;
}

/** Runs in each child: answers requests for measurements, and exits when the parent is gone. */
const companion = `data:text/javascript,${encodeURIComponent(`
  const answers = {
    memory: () => {
      globalThis.gc();
      return process.memoryUsage();
    },
    peakBytes: () => process.resourceUsage().maxRSS * 1024,
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  };
  process.on("message", (what) => process.send(answers[what]()));
  process.on("disconnect", () => process.exit(1));
  process.channel.unref();
`)}`;

export interface ServiceSettings {
  /** `dist` is the build of `make build`, as in production; `src` needs no build. */
  readonly from: "src" | "dist";
  readonly environment: Readonly<Record<string, string>>;
  /** The checkout from which the service runs; this checkout unless given. */
  readonly root?: string;
}

/** Starts the service and discards its log. Resolves when the service answers. */
export async function startService({ from, environment, root = ownRoot }: ServiceSettings): Promise<OwnProcess> {
  const port = environment.PORT === undefined ? await freePort() : Number(environment.PORT);
  const url = `http://127.0.0.1:${port}`;
  const program =
    from === "dist"
      ? [...flagsOf(environment.ROLE === "worker"), "dist/src/main.js"]
      : ["--import", "tsx", "src/main.ts"];
  const own = launch(program, {
    environment: { ROLE: "all", HOST_ADDRESS: "127.0.0.1", PORT: String(port), ...environment },
    stdout: "ignore",
    cwd: root,
  });
  await own.until(answers(url));
  return own.at(url);
}

/** Node's flags, as in the Makefile. */
const flagsOf = (isWorker: boolean): string[] => [
  `--max-semi-space-size=${isWorker ? 16 : 64}`,
  "--no-allocation-site-pretenuring",
];

/** Starts a program that prints one JSON line `{"url":...}` once it listens. */
export async function startProgram(file: string, args: readonly string[]): Promise<OwnProcess> {
  const own = launch(["--import", "tsx", file, ...args], { environment: {}, stdout: "pipe", cwd: ownRoot });
  const lines = createInterface({ input: own.stdout });
  const [line] = (await own.until(once(lines, "line"))) as [string];
  return own.at((JSON.parse(line) as { url: string }).url);
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Resolves when the URL answers, with any status. */
async function answers(url: string): Promise<void> {
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    const answered = await request(`${url}/livez`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(20);
  }
  throw new Error(`no answer within ${startMs} ms`);
}

const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

function launch(
  program: readonly string[],
  how: { environment: Record<string, string>; stdout: "ignore" | "pipe"; cwd: string },
) {
  const stdio: StdioOptions = ["ignore", how.stdout, "pipe", "ipc"];
  const child = spawn(process.execPath, ["--expose-gc", "--import", companion, ...program], {
    cwd: how.cwd,
    stdio,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", ...how.environment },
  });
  living.add(child);
  const exit = once(child, "exit").finally(() => living.delete(child));
  const said = lastLines(child);
  // Errors name only the program, since its arguments contain a database password.
  const what = program.find((part) => /\.[jt]s$/.test(part));
  const died = (): Error => new Error(`${what} has ended (${child.exitCode ?? child.signalCode}):\n${said.join("\n")}`);
  const ask = async <Answer>(what: string): Promise<Answer> => {
    child.send(what);
    const [answer] = await Promise.race([once(child, "message"), exit.then(() => Promise.reject(died()))]);
    return answer as Answer;
  };

  return {
    get stdout() {
      if (!child.stdout) throw new Error("its output is not read");
      return child.stdout;
    },
    /** Waits for `ready`. Kills the process if `ready` rejects. */
    until: async <Result>(ready: Promise<Result>): Promise<Result> => {
      try {
        return await Promise.race([ready, exit.then(() => Promise.reject(died()))]);
      } catch (error) {
        child.kill("SIGKILL");
        throw error;
      }
    },
    at: (url: string): OwnProcess => ({
      url,
      pid: child.pid ?? 0,
      memory: () => ask<Memory>("memory"),
      peakBytes: () => ask<number>("peakBytes"),
      cpuMs: () => ask<number>("cpuMs"),
      kill: async () => {
        child.kill("SIGKILL");
        await exit;
      },
      stop: async () => {
        child.kill("SIGTERM");
        const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
        await exit;
        clearTimeout(timer);
        if (child.exitCode !== 0) throw died();
      },
    }),
  };
}

/** The end of stderr, for error messages. */
function lastLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  if (!child.stderr) return lines;
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
  });
  return lines;
}
