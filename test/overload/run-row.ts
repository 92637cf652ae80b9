import { readFile } from "node:fs/promises";
import { getPriority, loadavg, setPriority } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { within } from "../../src/kernel/within.ts";
import type { OwnProcess } from "../bench/processes.ts";
import { rounded } from "../bench/table.ts";
import { type Arena, victim } from "./arena.ts";
import type { Told } from "./attack.ts";
import { type Attacker, startAttacker } from "./attacker.ts";
import { type Felt, Pulse, type PulseSettings } from "./pulse.ts";
import type { Figures, Finding, Row, Scene } from "./row.ts";

/** Durations in milliseconds. */
export interface Pace {
  readonly warm: number;
  readonly quiet: number;
  readonly attack: number;
  /** The maximum time to wait for the victim's recovery. */
  readonly recover: number;
}

export interface RowResult {
  readonly quiet: Felt;
  readonly attacked: Felt;
  readonly live: Felt;
  /** The service's peak memory; undefined if the service died or did not answer. */
  readonly peakMegabytes: number | undefined;
  /** Undefined if the victim did not recover. */
  readonly recoverySeconds: number | undefined;
  readonly told: readonly Told[];
  readonly figures: Figures;
  /** The load average of the minute before the row. A high one can come from other programs or the previous row. */
  readonly loadAverage: number;
  /** The largest delay of this process's event loop, in ms. The measured times can be wrong by this much. */
  readonly clockMs: number;
  /** Errors that do not depend on times. */
  readonly found: readonly string[];
  /** The errors in `found`, and missed bounds. */
  readonly misses: readonly string[];
}

export const bounds = {
  /** The maximum p99 during the attack, as a multiple of the p99 in the quiet phase. */
  times: 10,
  p99Ms: 250,
  liveMs: 100,
  megabytes: 600,
  recoverySeconds: 5,
} as const;

const victimPerSecond = 20;
const livePerSecond = 10;
const windowMs = 1_000;
/** How long to wait until a blocked process reports its memory, in ms. */
const tellMs = 90_000;

/** Runs the row on a new process. */
export async function runRow(arena: Arena, row: Row, pace: Pace): Promise<RowResult> {
  const prepared = await row.prepare?.(arena);
  try {
    const service = await arena.service({ ...row.environment, ...prepared?.environment });
    try {
      return await runRowOn({ arena, service }, row, pace);
    } finally {
      await service.kill();
    }
  } finally {
    prepared?.close();
  }
}

export async function runRowOn(scene: Scene, row: Row, pace: Pace): Promise<RowResult> {
  const { arena, service } = scene;
  const attackers: Attacker[] = [];
  const headers = { "x-api-key": arena.appKey(victim) };
  const asking = { url: service.url, from: arena.elsewhere, path: arena.orderPath(victim), headers };
  const pulse = new Pulse({ ...asking, perSecond: victimPerSecond });
  const live = new Pulse({ url: service.url, from: arena.elsewhere, path: "/livez", perSecond: livePerSecond });
  const over = new AbortController();
  const [minute = 0] = loadavg();
  const clock = monitorEventLoopDelay({ resolution: 5 });
  try {
    const specs = await row.attackers(scene);
    for (const spec of specs) attackers.push(await startAttacker(spec, service.url));
    await warmUp(asking, pace.warm);
    prefer(first);
    pulse.start();
    live.start();
    const throughout = row.throughout?.(scene, over.signal);
    throughout?.catch(() => {});
    clock.enable();
    const quietFrom = performance.now();
    await sleep(pace.quiet);

    const attackFrom = performance.now();
    const attackOver = new AbortController();
    for (const attacker of attackers) attacker.go();
    const meanwhile = row.meanwhile?.(scene, attackOver.signal);
    meanwhile?.catch(() => {});
    await (row.endsItself ? Promise.all(attackers.map((attacker) => attacker.done())) : sleep(pace.attack));
    attackOver.abort();
    const attackTo = performance.now();
    const stopped = attackers.map((attacker, n) => (specs[n]?.staysOn ? undefined : attacker.stop()));

    const quiet = pulse.felt(quietFrom, attackFrom);
    const recoverySeconds = await recovery(pulse, quiet, attackTo, pace.recover);
    over.abort();
    const findings: (Finding | undefined)[] = [await meanwhile, await throughout];
    const told = await Promise.all(attackers.map((attacker, n) => stopped[n] ?? attacker.stop()));
    await Promise.all([pulse.settled(), live.settled()]);
    findings.push(await row.judge?.(scene, told, figuresOf(findings)));
    const result = {
      quiet,
      attacked: pulse.felt(attackFrom, attackTo),
      live: live.felt(attackFrom, attackTo),
      peakMegabytes: await peakMegabytes(service),
      recoverySeconds,
      told,
      figures: figuresOf(findings),
      loadAverage: rounded(minute, 1),
      clockMs: rounded(clock.max / 1e6, 1),
    };
    if (row.isControl) return { ...result, found: [], misses: [] };
    const found = [...wrongIn(result), ...findings.flatMap((finding) => finding?.misses ?? [])];
    return { ...result, found, misses: [...found, ...missedBy(result, row.most ?? {})] };
  } finally {
    prefer(usual);
    over.abort();
    clock.disable();
    pulse.stop();
    live.stop();
    for (const attacker of attackers) attacker.kill();
  }
}

const usual = getPriority();
const first = Math.max(-20, usual - 10);

/** Changes this process's priority if the system allows it. */
function prefer(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // Only root may raise a priority.
  }
}

const figuresOf = (findings: readonly (Finding | undefined)[]): Figures =>
  Object.assign({}, ...findings.map((finding) => finding?.figures));

/** Sends requests for `ms`, so that the service's code is compiled before the quiet phase. */
async function warmUp(asking: Omit<PulseSettings, "perSecond">, ms: number): Promise<void> {
  const pulse = new Pulse({ ...asking, perSecond: 100 }).start();
  await sleep(ms);
  pulse.pause();
  await pulse.settled();
  pulse.stop();
}

/**
 * Seconds from the end of the attack to the first window without failures and with a p99 below twice the quiet p99.
 * Undefined if there is no such window.
 */
async function recovery(pulse: Pulse, quiet: Felt, since: number, patienceMs: number): Promise<number | undefined> {
  const most = 2 * quiet.p99Ms;
  for (let from = since; from - since < patienceMs; from += windowMs) {
    await sleep(Math.max(0, from + windowMs + most - performance.now()));
    const { requests, p99Ms, failures } = pulse.felt(from, from + windowMs);
    const isQuiet = requests >= victimPerSecond - 1 && p99Ms < most && Object.keys(failures).length === 0;
    if (isQuiet) return rounded((from - since) / 1_000);
  }
  return undefined;
}

const peakMegabytes = (service: OwnProcess): Promise<number | undefined> =>
  within(tellMs, service.peakBytes()).then(
    (bytes) => rounded(bytes / 2 ** 20),
    () => undefined,
  );

type Measured = Omit<RowResult, "found" | "misses">;

function wrongIn({ quiet, attacked, live, peakMegabytes, told }: Measured): string[] {
  const own = sumOf(told.map(({ outcomes }) => outcomes));
  const broken = Object.entries(own).filter(([outcome]) => /^5/.test(outcome) && outcome !== "503");
  const unsaid = told.reduce((sum, each) => sum + each.withoutRetryAfter, 0);
  return those(
    anyOf(quiet.failures) && `already before it the other business got ${wordsOf(quiet.failures)}`,
    anyOf(attacked.failures) && `the other business got ${wordsOf(attacked.failures)}`,
    anyOf(live.failures) && `/livez got ${wordsOf(live.failures)}`,
    peakMegabytes === undefined && "the process did not live to tell its memory",
    (peakMegabytes ?? 0) > bounds.megabytes && `the process held ${peakMegabytes} MB, over ${bounds.megabytes} MB`,
    broken.length > 0 && `the attacker got ${wordsOf(Object.fromEntries(broken))}`,
    unsaid > 0 && `${unsaid} answers with 429 or 503 had no Retry-After`,
  );
}

function missedBy({ quiet, attacked, live, recoverySeconds, figures }: Measured, most: Row["most"] & object): string[] {
  const { times, p99Ms, liveMs, recoverySeconds: mostSeconds } = bounds;
  return those(
    attacked.p99Ms > p99Ms && `its p99 is ${attacked.p99Ms} ms, over ${p99Ms} ms`,
    attacked.p99Ms > times * quiet.p99Ms && `its p99 is ${rounded(attacked.p99Ms / quiet.p99Ms)} times the quiet one`,
    live.worstMs > liveMs && `/livez took ${live.worstMs} ms, over ${liveMs} ms`,
    recoverySeconds === undefined && "the other business did not recover",
    (recoverySeconds ?? 0) > mostSeconds && `it took ${recoverySeconds} s to recover, over ${mostSeconds} s`,
    ...Object.entries(most).map(
      ([what, bound]) => Number(figures[what]) > bound && `${what}: ${figures[what]}, over ${bound}`,
    ),
  );
}

const anyOf = (failures: object): boolean => Object.keys(failures).length > 0;

export const those = (...sentences: readonly (string | false)[]): string[] =>
  sentences.filter((sentence) => sentence !== false);

/** `12 x 500, 3 x no answer`, most frequent first. */
export const wordsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} x ${what}`)
    .join(", ");

export function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [what, count] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + count;
  return sum;
}

/** Bytes that a process has read; undefined if the system does not tell. */
export async function bytesReadBy({ pid }: OwnProcess): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/io`, "utf8").catch(() => "");
  const [, read] = /^rchar: (\d+)$/m.exec(text) ?? [];
  return read === undefined ? undefined : Number(read);
}
