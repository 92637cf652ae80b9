import { load, type Shot, type Volley } from "./load.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded, type Table } from "./table.ts";

/** The path of another built checkout. If set, its service takes the place of the bare handler in comparisons. */
export const AGAINST = process.env.AGAINST ?? "";

export interface ContestSettings {
  readonly name: string;
  readonly service: OwnProcess;
  readonly bare: OwnProcess;
  /** The number of rounds. Each round measures both servers, so that changes of the machine's load affect both. */
  readonly rounds?: number;
  readonly roundMs?: number;
  /** The duration of each server's warm-up in milliseconds. Meanwhile V8 compiles the code. */
  readonly warmUpMs?: number;
  readonly next: () => Shot;
  readonly isRight: (status: number, text: string) => boolean;
}

export interface Side {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The CPU time of the server's own process, without the database's. */
  readonly cpuMsPerRequest: number;
}

export interface ContestResult {
  readonly service: Side;
  readonly bare: Side;
  /** For each round: the service's requests per second, divided by the bare handler's. */
  readonly ratios: readonly number[];
  /** The median of `ratios`. */
  readonly ratio: number;
  readonly failures: readonly string[];
  /** The number of correct answers of both servers, including the warm-up. */
  readonly answered: number;
}

/** The number of connections that a busy client opens. */
const connections = 16;

/** Measures the service against the bare handler, after a warm-up of both. */
export async function contest(settings: ContestSettings): Promise<ContestResult> {
  const { service, bare, rounds = AGAINST ? 24 : 8, roundMs = 1_200, warmUpMs = 10_000 } = settings;
  const failures: string[] = [];
  let answered = 0;
  const round = async (who: string, { url }: OwnProcess, ms: number): Promise<Volley> => {
    const volley = await load({ ...settings, url, connections, ms });
    answered += volley.latencies.length - volley.wrong;
    if (volley.wrong > 0)
      failures.push(`${settings.name}: ${who} answered ${volley.firstWrong} (${volley.wrong} times)`);
    return volley;
  };
  await round("the service", service, warmUpMs);
  await round("the bare handler", bare, warmUpMs);

  const before = await Promise.all([service.cpuMs(), bare.cpuMs()]);
  const volleys: { readonly service: Volley; readonly bare: Volley }[] = [];
  for (let pair = 0; pair < rounds; pair += 1) {
    const runs = {
      service: () => round("the service", service, roundMs),
      bare: () => round("the bare handler", bare, roundMs),
    };
    // Each server comes first in half of the rounds.
    if (pair % 2 === 0) volleys.push({ service: await runs.service(), bare: await runs.bare() });
    else volleys.push({ bare: await runs.bare(), service: await runs.service() });
  }
  const after = await Promise.all([service.cpuMs(), bare.cpuMs()]);

  const ratios = volleys.map((pair) => rounded(rate(pair.service) / rate(pair.bare), 3));
  return {
    service: sideOf(
      volleys.map((pair) => pair.service),
      after[0] - before[0],
    ),
    bare: sideOf(
      volleys.map((pair) => pair.bare),
      after[1] - before[1],
    ),
    ratios,
    ratio: quantile(ratios, 0.5),
    failures,
    answered,
  };
}

const rate = ({ latencies, seconds }: Volley): number => latencies.length / seconds;

function sideOf(volleys: readonly Volley[], cpuMs: number): Side {
  const latencies = volleys.flatMap((volley) => volley.latencies);
  const seconds = volleys.reduce((sum, volley) => sum + volley.seconds, 0);
  return {
    requests: latencies.length,
    requestsPerSecond: rounded(latencies.length / seconds),
    p50Ms: rounded(quantile(latencies, 0.5), 1),
    p99Ms: rounded(quantile(latencies, 0.99), 1),
    cpuMsPerRequest: rounded(cpuMs / latencies.length, 3),
  };
}

/** One row per variant and contestant. */
export function contestTable(title: string, results: Readonly<Record<string, ContestResult>>): Table {
  const row = (name: string, side: Side, last: string) => [
    name,
    side.requests,
    side.requestsPerSecond,
    side.p50Ms,
    side.p99Ms,
    side.cpuMsPerRequest,
    last,
  ];
  return {
    title,
    columns: [
      "",
      "requests",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "CPU ms each",
      `of ${AGAINST || "the bare limit"} (worst to best round)`,
    ],
    rows: Object.entries(results).flatMap(([name, { service, bare, ratio, ratios }]) => [
      row(`${name}: ${AGAINST || "bare"}`, bare, ""),
      row(`${name}: service`, service, `${ratio} (${Math.min(...ratios)} to ${Math.max(...ratios)})`),
    ]),
  };
}

export const belowAim = (name: string, { ratio }: ContestResult, aim: number): string[] =>
  AGAINST || ratio >= aim ? [] : [`${name}: ${ratio} of the bare limit, below the aim of ${aim}`];
