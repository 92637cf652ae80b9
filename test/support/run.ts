import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/**
 * `npm test [file ...]`: runs the given files in one process. Without files, it runs all files in three processes,
 * since tests often wait. Each process has its own database server unless `TEST_DATABASE_URL` is set. A fourth process
 * repeats some files with businesses in two cells. The output of the first process is shown at once, the output of the
 * other processes afterwards. At the end all failures are printed again, followed by a line such as
 * `12 passed, 1 failed, 0 skipped`.
 *
 * With `TEST_RETRIES` each file with a failed test is run once more in a new process. Only the later result is used.
 */
const processes = 3;
/** The folder's files use a browser or kill processes. They take `weight` times as long as others of their size. */
const weights: readonly (readonly [folder: string, weight: number])[] = [
  [join("test", "console"), 5],
  [join("test", "faults"), 60],
];

async function testFiles(): Promise<string[]> {
  const found = await readdir("test", { recursive: true });
  return found
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("test", file))
    .sort();
}

/**
 * Splits the files into parts of similar duration, which is estimated from their sizes. Each part starts at a different
 * place of its sorted list, so that the parts run their browser tests at different times. Browser tests that run at the
 * same time delay each other.
 */
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
  return parts.map(({ files }, part) => {
    const start = Math.floor((files.length * part) / processes);
    files.sort();
    return [...files.slice(start), ...files.slice(0, start)];
  });
}

const weightOf = (file: string): number => weights.find(([folder]) => file.startsWith(folder))?.[1] ?? 1;

interface Run {
  readonly code: number;
  readonly counts: Counts;
  readonly failed: readonly FailedFile[];
  /** Mocha's list of failures, or the end of Mocha's output if there is no list. Empty if all tests passed. */
  readonly failures: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How many tests passed, failed and were skipped. */
type Counts = readonly number[];

interface FailedFile {
  readonly file: string;
  readonly counts: Counts;
}

/** Files that are repeated with businesses in two cells. `TEST_CELLS=2 npm test` runs all files in this way. */
const spread = [
  "administration/isolation",
  "administration/user-access",
  "http/tenant-matrix",
  "reports/shared-report",
  "tenancy/access",
  "webhooks/deliveries",
].map((name) => join("test", `${name}.test.ts`));

/** @param isShown - whether the output is printed at once instead of at the end */
async function mocha(files: readonly string[], isShown: boolean, env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const child = spawn("node_modules/.bin/mocha", files, {
    stdio: ["ignore", "pipe", isShown ? "inherit" : "pipe"],
    env: { ...process.env, ...env },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    if (isShown) process.stdout.write(chunk);
    said += chunk;
  });
  const [complaints, [code]] = await Promise.all([child.stderr ? text(child.stderr) : "", once(child, "close")]);
  if (!isShown) await shownAfter.then(() => process.stdout.write(`${said}${complaints}`));
  const counts = numbersOf(/^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(said));
  const failed = [...said.matchAll(/^Failed: (?<file>\S+) (\d+) (\d+) (\d+)$/gm)].map((match) => ({
    file: match.groups?.file ?? "",
    counts: numbersOf(match).slice(1),
  }));
  return { code: code ?? 1, counts, failed, failures: failuresOf(code, said), env };
}

const numbersOf = (match: RegExpExecArray | null): number[] => (match ?? []).slice(1).map(Number);

function failuresOf(code: number | null, said: string): string {
  if (code === 0) return "";
  const listed = /^ +\d+ failing\n.*?(?=^Failed: )/ms.exec(said)?.[0].trimEnd();
  return listed ?? said.slice(-2_000);
}

/** Runs the files with failures once more, one by one, and returns the run with their later results. */
async function triedAgain(run: Run): Promise<Run> {
  // A process that crashed or did not end does not name all of its failures, so its files are not run again.
  if (!process.env.TEST_RETRIES || run.failed.length === 0 || run.code !== run.counts[1]) return run;
  let { counts } = run;
  let code = 0;
  const failures: string[] = [];
  for (const { file, counts: earlier } of run.failed) {
    console.log(`Tried again: ${file}`);
    const again = await mocha([file], true, run.env);
    counts = counts.map((count, at) => count - (earlier[at] ?? 0) + (again.counts[at] ?? 0));
    code = Math.max(code, again.code);
    failures.push(again.failures);
  }
  return { ...run, code, counts, failures: failures.join("") };
}

let shownNow: () => void = () => {};
const shownAfter = new Promise<void>((resolve) => {
  shownNow = resolve;
});

const asked = process.argv.slice(2);
const parts = asked.length > 0 ? [asked] : await shares(await testFiles());
const first = mocha(parts[0] ?? [], true).finally(() => shownNow());
const inTwoCells = asked.length > 0 || process.env.TEST_CELLS ? [] : [mocha(spread, false, { TEST_CELLS: "2" })];
const attempts = await Promise.all([first, ...parts.slice(1).map((part) => mocha(part, false)), ...inTwoCells]);
const runs: Run[] = [];
for (const run of attempts) runs.push(await triedAgain(run));
const sum = (at: number): number => runs.reduce((total, { counts }) => total + (counts[at] ?? 0), 0);
if (runs.length > 1 || runs[0] !== attempts[0]) {
  for (const [at, { failed, failures }] of attempts.entries()) {
    if (failures) console.log(failures);
    for (const { file } of failed) console.log(`Failed at first: ${file}`);
    if (runs[at]?.failures && runs[at] !== attempts[at]) console.log(runs[at].failures);
  }
  console.log(`${sum(0)} passed, ${sum(1)} failed, ${sum(2)} skipped`);
}
process.exitCode = Math.max(...runs.map(({ code }) => code));
