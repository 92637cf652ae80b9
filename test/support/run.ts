import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/**
 * `npm test [file ...]`: all tests, or those of these files. All are run in three processes side by side, each on a
 * database server of its own: tests wait for timers, disks and browsers much of the time. What the others print follows
 * what the first one prints. At the end all failures are printed once more, since logs of builds are often cut to their
 * end, and one line counts all: `12 passed, 1 failed, 0 skipped`. A fourth process runs some files once more, with
 * businesses spread over two cells.
 */
const processes = 3;
/** A test in a browser takes about as long as a test of another kind that is five times as many bytes. */
const browserWeight = 5;

async function testFiles(): Promise<string[]> {
  const found = await readdir("test", { recursive: true });
  return found
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("test", file))
    .sort();
}

/** Parts that take about equally long, by the sizes of their files. */
async function shares(files: readonly string[]): Promise<string[][]> {
  const sized = await Promise.all(
    files.map(async (file) => ({ file, size: (await stat(file)).size * weightOf(file) })),
  );
  const parts = Array.from({ length: processes }, () => ({ size: 0, files: [] as string[] }));
  for (const { file, size } of sized.sort((a, b) => b.size - a.size)) {
    const [least] = parts.sort((a, b) => a.size - b.size);
    if (!least) continue;
    least.files.push(file);
    least.size += size;
  }
  return parts.map((part) => part.files.sort());
}

const weightOf = (file: string): number => (file.startsWith(join("test", "console")) ? browserWeight : 1);

interface Run {
  readonly code: number;
  readonly counts: readonly number[];
  /** What mocha says of its failures, or what it printed last where it broke off; empty where all passed. */
  readonly failures: string;
}

const ended = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m;

/** Run once more with businesses spread over two cells; `TEST_CELLS=2 npm test` runs everything so. */
const spread = [
  "administration/isolation",
  "http/tenant-matrix",
  "reports/shared-report",
  "tenancy/access",
  "webhooks/deliveries",
].map((name) => join("test", `${name}.test.ts`));

/** @param isShown - prints while it runs; otherwise once it has ended */
async function mocha(files: readonly string[], isShown: boolean, more: NodeJS.ProcessEnv = {}): Promise<Run> {
  const child = spawn("node_modules/.bin/mocha", files, {
    stdio: ["ignore", "pipe", isShown ? "inherit" : "pipe"],
    env: { ...process.env, ...more },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    if (isShown) process.stdout.write(chunk);
    said += chunk;
  });
  const [complaints, [code]] = await Promise.all([child.stderr ? text(child.stderr) : "", once(child, "close")]);
  if (!isShown) await shownAfter.then(() => process.stdout.write(`${said}${complaints}`));
  const [, ...counts] = ended.exec(said) ?? [];
  return { code: code ?? 1, counts: counts.map(Number), failures: failuresOf(code, said) };
}

function failuresOf(code: number | null, said: string): string {
  if (code === 0) return "";
  const listed = /^ +\d+ failing\n.*(?=^\d+ passed)/ms.exec(said)?.[0].trimEnd();
  return listed ?? said.slice(-2_000);
}

let shownNow: () => void = () => {};
const shownAfter = new Promise<void>((resolve) => {
  shownNow = resolve;
});

const asked = process.argv.slice(2);
const parts = asked.length > 0 ? [asked] : await shares(await testFiles());
const first = mocha(parts[0] ?? [], true).finally(() => shownNow());
const inTwoCells = asked.length > 0 || process.env.TEST_CELLS ? [] : [mocha(spread, false, { TEST_CELLS: "2" })];
const runs = await Promise.all([first, ...parts.slice(1).map((part) => mocha(part, false)), ...inTwoCells]);
const sum = (at: number): number => runs.reduce((total, { counts }) => total + (counts[at] ?? 0), 0);
if (runs.length > 1) {
  for (const { failures } of runs) if (failures) console.log(failures);
  console.log(`${sum(0)} passed, ${sum(1)} failed, ${sum(2)} skipped`);
}
process.exitCode = Math.max(...runs.map(({ code }) => code));
