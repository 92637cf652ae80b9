import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";
import type { Bench, BenchResult } from "./bench.ts";
import { createDatabase, type OwnDatabase } from "./database.ts";
import { openStage, type Stage } from "./stage.ts";
import { formatTable, rounded } from "./table.ts";

/**
 * `node --expose-gc --import tsx test/bench/main.ts [name ...]`: runs all benchmarks of this folder, or the named ones,
 * prints tables and writes .run/bench.json. Exits with 1 after errors, but not after missed goals.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const suffix = ".bench.ts";

async function main(wanted: readonly string[]): Promise<number> {
  const names = readdirSync(new URL(".", import.meta.url))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`no benchmark ${unknown.join(", ")}; there are ${names.join(", ")}`);

  const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
  say("building what production runs");
  execFileSync("make", ["--silent", "build"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const server = await startEmbeddedPostgres({
    directory: `${root}.data/bench-postgres`,
    fsync: true,
    // Benchmarks run ANALYZE on the rows that they load. If autovacuum changed the statistics during a measurement, each
    // session would plan the same statement again, up to 150 times. This once halved the throughput of one of two equal
    // services.
    settings: { autovacuum: "off" },
    log: say,
  });
  const results: Record<string, BenchResult> = {};
  const loads = [loadavg()];
  try {
    for (const name of wanted.length > 0 ? wanted : names) {
      const { default: bench } = (await import(`./${name}${suffix}`)) as { default: Bench };
      say(`${name}: ${bench.about}`);
      const result = await onStages(server.url, (stage) => bench.run({ stage, say }));
      for (const table of result.tables) console.log(formatTable(table));
      results[name] = result;
      loads.push(loadavg());
    }
  } finally {
    await server.stop();
  }

  const all = Object.values(results);
  console.log("");
  for (const line of all.flatMap(({ belowAim }) => belowAim)) console.log(`BELOW THE AIM: ${line}`);
  for (const line of all.flatMap(({ failures }) => failures)) console.log(`WRONG: ${line}`);
  mkdirSync(`${root}.run`, { recursive: true });
  const report = {
    date: new Date().toISOString(),
    node: process.version,
    cpus: availableParallelism(),
    // A load above the number of CPUs means that other programs were running; then only the ratios are meaningful.
    loadAverages: loads.map(([minute = 0]) => rounded(minute, 2)),
    benches: Object.fromEntries(
      Object.entries(results).map(([name, { figures, failures, belowAim }]) => [name, { figures, failures, belowAim }]),
    ),
  };
  writeFileSync(`${root}.run/bench.json`, `${JSON.stringify(report, null, 2)}\n`);
  return all.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** Runs `work`, which opens stages on new databases. Then closes the stages and drops the databases. */
async function onStages<Result>(
  serverUrl: string,
  work: (open: (settings: Omit<Parameters<typeof openStage>[0], "databaseUrl">) => Promise<Stage>) => Promise<Result>,
): Promise<Result> {
  const stages: Stage[] = [];
  const databases: OwnDatabase[] = [];
  try {
    return await work(async (settings) => {
      const database = await createDatabase(serverUrl, `bench_${process.pid}_${Date.now()}`);
      databases.push(database);
      const stage = await openStage({ ...settings, databaseUrl: database.url });
      stages.push(stage);
      return stage;
    });
  } finally {
    for (const stage of stages) await stage.close();
    for (const database of databases) await database.drop();
  }
}

// A signal alone would not run the exit handlers that stop children and the database server.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error);
  process.exit(1);
}
