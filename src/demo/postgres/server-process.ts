import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { unusable } from "./unusable.ts";

/** Milliseconds for a fast shutdown, and again for an immediate one. */
const shutdownMs = 10_000;

/** A server's command line names the process that started it. */
const ownerSetting = "recado.owner";
export const ownerArgument = (): string => `${ownerSetting}=${process.pid}`;

/** A running server of ours. */
export interface RunningServer {
  readonly pid: number;
  /** The process that uses it; undefined when that one has died and left it behind. */
  readonly owner: number | undefined;
}

/** What postmaster.pid says about the server that made it. */
export interface PidFile {
  readonly pid: number;
  readonly ready: boolean;
}

const pidFile = (data: string) => join(data, "postmaster.pid");

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const lines = (await readFile(pidFile(data), "utf8").catch(ignoreMissing))?.split("\n");
  const pid = Number(lines?.[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines?.[7]?.trim() === "ready" } : undefined;
}

/** The server that runs on this data directory. A pid file proves nothing: its process may be long gone. */
export async function runningServer(data: string): Promise<RunningServer | undefined> {
  const pid = (await readPidFile(data))?.pid;
  const found = pid === undefined ? undefined : await lookUp(pid);
  if (pid === undefined || !found?.command.includes(`-D ${data} `)) return undefined;
  const owner = Number(new RegExp(`${ownerSetting}=(\\d+)`).exec(found.command)?.[1]);
  return { pid, owner: owner === found.parent ? owner : undefined };
}

/**
 * After a reboot the number in the pid file may be somebody else's, and PostgreSQL would believe that the data is
 * in use. It takes its parent's number, which is ours, for stale. Removing the file instead would also remove
 * its guard against old backends that still hold the shared memory.
 */
export async function disownPidFile(data: string): Promise<void> {
  const text = await readFile(pidFile(data), "utf8").catch(ignoreMissing);
  const pid = Number(text?.split("\n")[0]);
  if (text === undefined || !isAlive(pid)) return;
  await writeFile(pidFile(data), text.replace(/^.*/, String(process.pid)));
}

/** Also of a zombie, and of processes that are none of our business. */
export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export async function endServerOf(data: string): Promise<void> {
  const server = await runningServer(data);
  if (server !== undefined) await endServer(server.pid);
}

/** Shuts the server down: its clients are cut off, what was committed stays. Resolves when the process is gone. */
export async function endServer(pid: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    send(pid, signal);
    if (await gone(pid, Date.now() + shutdownMs)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPERM") throw unusable(`its process ${pid} belongs to another user. Stop it as that user.`);
    if (code !== "ESRCH") throw error;
  }
}

async function gone(pid: number, deadline: number): Promise<boolean> {
  while ((await lookUp(pid)) !== undefined) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

interface ProcessInfo {
  readonly parent: number;
  readonly command: string;
}

/** Undefined when there is no such process, or only its zombie. */
async function lookUp(pid: number): Promise<ProcessInfo | undefined> {
  const info = await (process.platform === "linux" ? fromProc(pid) : fromPs(pid));
  return info?.command.trim() ? info : undefined;
}

async function fromProc(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(parent), command: command.replaceAll("\0", " ") };
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const columns = ["-ww", "-o", "ppid=,command=", "-p", String(pid)];
    const { stdout } = await promisify(execFile)("ps", columns, { timeout: 10_000 });
    const [, parent, command] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? [];
    return command?.includes("<defunct>") ? undefined : { parent: Number(parent), command: command ?? "" };
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
