import { fileURLToPath } from "node:url";
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../src/fixtures/postgres/embedded-postgres.ts";
import { makeCell } from "../../src/infra/postgres/cells/make-cell.ts";
import { type Answered, openLoop } from "../bench/open-loop.ts";
import { openStage, type Stage, secondCell } from "../bench/stage.ts";
import { freshDatabase } from "../support/database.ts";
import { type Answer, request } from "../support/http.ts";
import { testedFrom } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import type { Outcome } from "./scenario.ts";

const directory = fileURLToPath(new URL("../../.data/faults-cell", import.meta.url));
/** A business of the first cell and one of the second. */
const [here, there] = [1, 2] as const;
/** The p99 of the cell that stays up may grow by this factor, or by `noiseMs` if that is more. */
const mostGrowth = 1.5;
const noiseMs = 5;
/** Milliseconds after the cell's return until its businesses must be served again. */
const patienceMs = 15_000;

interface Size {
  /** Requests per second and business. */
  readonly perSecond: number;
  /** The duration of the outage, and of the measurement before it. */
  readonly seconds: number;
}

/** Kills the database server of one of two cells, sends requests to both, and starts the server again. */
export async function loseACell({ perSecond, seconds }: Size): Promise<Outcome> {
  await removeEmbeddedPostgres(directory);
  const database = await freshDatabase();
  let server = await start();
  let stage: Stage | undefined;
  try {
    await makeCell({ name: secondCell, url: server.url }, { url: database.url });
    const businesses = [aBusiness(here), aBusiness(there)];
    const second = { url: server.url, businesses: [there] };
    stage = await openStage({ databaseUrl: database.url, businesses, second });
    const { url, kill } = await stage.service(testedFrom);
    const { appKey } = stage;
    const shotOf = (businessId: number) => shots(businessId, appKey(businessId));
    const both = () =>
      Promise.all([here, there].map((businessId) => openLoop({ url, perSecond, seconds, next: shotOf(businessId) })));
    try {
      await both();
      const [before, beforeThere] = (await both()) as [Answered, Answered];
      // The child processes of the server end by themselves.
      process.kill(server.pid, "SIGKILL");
      const [during, duringThere] = (await both()) as [Answered, Answered];
      const refused = await answerTo(url, shotOf(there)());
      server = await start(Number(new URL(server.url).port));
      const backAt = performance.now();
      await eventually(async () => (await answerTo(url, shotOf(there)())).status === 200, patienceMs);
      const backMs = Math.round(performance.now() - backAt);
      const [p99, p99Away] = [p99Of(before), p99Of(during)];
      return {
        figures: {
          "p99 before": p99,
          "p99 while away": p99Away,
          "failures elsewhere": failuresOf(during),
          "503 there": duringThere.wrong[503] ?? 0,
          "served again after ms": backMs,
        },
        violations: [
          ...(failuresOf(before) + failuresOf(beforeThere) > 0 ? ["requests failed before the cell was away"] : []),
          ...(failuresOf(during) > 0 ? [`requests elsewhere failed: ${JSON.stringify(during.wrong)}`] : []),
          ...(p99Away > Math.max(p99 * mostGrowth, p99 + noiseMs)
            ? [`p99 elsewhere: ${p99} ms, then ${p99Away} ms`]
            : []),
          ...(failuresOf(duringThere) > (duringThere.wrong[503] ?? 0)
            ? [`other answers than 503 there: ${JSON.stringify(duringThere.wrong)}`]
            : []),
          ...(refused.headers["retry-after"] === undefined ? ["a 503 without Retry-After"] : []),
        ],
      };
    } finally {
      await kill();
    }
  } finally {
    await stage?.close();
    await server.stop();
    await database.drop();
  }
}

const shots = (businessId: number, key: string) => () => ({
  path: "/chats/obtener/mensaje/plantilla",
  headers: { "x-api-key": key, "content-type": "application/json" },
  body: JSON.stringify({ empresa_id: businessId, usuario_id: businessId * 100 + 1 }),
});

const start = (port?: number): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ directory, ...(port && { port }), fsync: false, log: () => {} });

const answerTo = (url: string, { path, headers, body }: ReturnType<ReturnType<typeof shots>>): Promise<Answer> =>
  request(url + path, { method: "POST", headers, body: JSON.parse(body) });

const failuresOf = ({ wrong }: Answered): number => Object.values(wrong).reduce((sum, count) => sum + count, 0);

const p99Of = ({ latencies }: Answered): number => {
  const sorted = [...latencies].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length * 0.99)] ?? 0) * 10) / 10;
};
