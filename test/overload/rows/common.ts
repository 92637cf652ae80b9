import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { within } from "../../../src/kernel/within.ts";
import { type Answer, type RequestOptions, request } from "../../support/http.ts";
import { agentOf, attacker } from "../arena.ts";
import type { AttackSpec, Told } from "../attack.ts";
import type { Hammering, Holding, Pouring, Streaming } from "../attacks.ts";
import type { Finding, Scene } from "../row.ts";
import type { RequestSpec } from "../wire.ts";

export const hammer = (settings: Hammering): AttackSpec => ({ attack: "hammer", settings });
export const pour = (settings: Pouring): AttackSpec => ({ attack: "pour", settings });
export const stream = (settings: Streaming): AttackSpec => ({ attack: "stream", settings });
export const hold = (settings: Holding): AttackSpec => ({ attack: "hold", settings });

export const post = (
  path: string,
  body: RequestSpec["body"],
  headers: Readonly<Record<string, string>> = {},
): RequestSpec => ({
  method: "POST",
  path,
  headers,
  ...(body !== undefined && { body }),
});

export const megabyte = 2 ** 20;
const patienceMs = 30_000;

export const ofAttacker = ({ arena }: Scene) => ({ "x-api-key": arena.appKey(attacker) });

export const agentsOwn = async ({ arena }: Scene) => `Bearer ${await arena.sessionToken(attacker, agentOf(attacker))}`;

export const year = () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return { startDate: day(364), endDate: day(0) };
};

export const reportPage = (scene: Scene): RequestSpec => ({
  path: `/reports/${attacker}.html?${new URLSearchParams(year())}`,
  headers: ofAttacker(scene),
});

export interface Timed {
  readonly status: number | "no answer";
  readonly ms: number;
  readonly answer?: Answer;
}

/** A request on a new connection. */
export async function ask({ service }: Scene, path: string, options: RequestOptions, from?: string): Promise<Timed> {
  const began = performance.now();
  const agent = new Agent({ keepAlive: false, ...(from && { localAddress: from }) });
  try {
    const answer = await within(patienceMs, request(service.url + path, { ...options, agent }));
    return { status: answer.status, ms: Math.round(performance.now() - began), answer };
  } catch {
    return { status: "no answer", ms: Math.round(performance.now() - began) };
  } finally {
    agent.destroy();
  }
}

/** The name of the figure for the slowest answer. */
export const worst = (what: string): string => `${what}, worst ms`;

/** Repeats a check until the signal is aborted. Returns the slowest times, and each kind of failure once. */
export async function again(
  signal: AbortSignal,
  everyMs: number,
  check: () => Promise<Readonly<Record<string, Timed>>>,
): Promise<Finding> {
  const slowest: Record<string, number> = {};
  const misses = new Set<string>();
  let rounds = 0;
  do {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    for (const [what, { status, ms }] of Object.entries(await check())) {
      slowest[worst(what)] = Math.max(slowest[worst(what)] ?? 0, ms);
      if (status !== 200) misses.add(`${what}: ${status}`);
    }
    rounds += 1;
  } while (!signal.aborted);
  return { figures: { ...slowest, rounds }, misses: [...misses] };
}

/** Far more attempts than a normal client makes at once. */
const manyAttempts = 500;

/** A miss if many attempts were made and none was refused with 429 or 503. */
export function limited(told: Told | undefined): Finding {
  const { "429": own = 0, "503": overloaded = 0, ...others } = told?.outcomes ?? {};
  const unlimited = Object.entries(others).reduce((sum, [how, count]) => sum + (Number(how) > 0 ? count : 0), 0);
  const isLimited = own + overloaded > 0 || unlimited < manyAttempts;
  return isLimited ? {} : { misses: [`of ${unlimited} attempts none was limited: neither 429 nor 503`] };
}

/** A miss if an attempt succeeded. */
export const refused = (told: Told | undefined): Finding =>
  told?.outcomes["200"]
    ? { misses: [`${told.outcomes["200"]} of the attacker's requests were answered with 200`] }
    : {};

/** A miss if the attacker got no answer with 200. A client that asks too much must still get its share. */
export const served = (told: Told | undefined): Finding =>
  told?.outcomes["200"] ? {} : { misses: ["the attacker got none of his own work done"] };

export const both = (...findings: readonly Finding[]): Finding => ({
  figures: Object.assign({}, ...findings.map(({ figures }) => figures)),
  misses: findings.flatMap(({ misses = [] }) => misses),
});
