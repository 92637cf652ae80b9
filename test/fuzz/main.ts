import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { formatTable } from "../bench/table.ts";
import { closeTestServer } from "../support/database.ts";
import { type Finding, fuzz } from "./fuzz.ts";

/**
 * `node --import tsx test/fuzz/main.ts seed=1 seconds=120 runs=100000 route=getOrder` fuzzes the service, prints a table
 * and the errors, and writes .run/fuzz.json. All parameters are optional. The exit code is 1 if there are errors.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The parameters are arguments instead of environment variables, since shells set SECONDS themselves. */
const given: Readonly<Record<string, string>> = Object.fromEntries(
  process.argv.slice(2).map((each) => each.split("=")),
);

const numberOf = (name: string, otherwise: number): number => {
  const value = Number(given[name] || otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name} must be a whole number`);
};

async function main(): Promise<number> {
  const only = given.route ?? "";
  const settings = {
    seed: numberOf("seed", 1),
    seconds: numberOf("seconds", 120),
    runs: numberOf("runs", 1_000_000),
    perRoute: 25,
    role: "all",
    ...(only !== "" && { only }),
  } as const;
  console.log(`seed ${settings.seed}; to ask the same again: make fuzz SEED=${settings.seed}`);
  const report = await fuzz(settings);
  const routes = Object.entries(report.routes).map(([name, each]) => {
    const wrong = report.findings.filter(({ operationId }) => operationId.split(/[ ,]/)[0] === name).length;
    return [name, each.requests, each.good, each.refused, each.failed, each.slowestMs, wrong];
  });
  const columns = ["operation", "requests", "2xx, 3xx", "4xx", "5xx", "slowest ms", "wrong"];
  const title = `${report.requests} requests in ${report.rounds} rounds, ${report.seconds.toFixed(0)} s, seed ${settings.seed}`;
  console.log(formatTable({ title, columns, rows: routes }));
  for (const finding of report.findings) console.log(described(finding));
  const about = { date: new Date().toISOString(), node: process.version, cpus: availableParallelism(), settings };
  mkdirSync(`${root}.run`, { recursive: true });
  writeFileSync(`${root}.run/fuzz.json`, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
  return report.findings.length > 0 ? 1 : 0;
}

const described = ({ operationId, problem, seed, path, requests, answer }: Finding): string =>
  [
    `\nWRONG: ${operationId}: ${problem}`,
    `  seed ${seed}${path === "" ? "" : `, path ${path}`}`,
    ...requests.map((each) => `  ${JSON.stringify(each).slice(0, 2_000)}`),
    ...(answer === "" ? [] : [`  answered ${answer}`]),
  ].join("\n");

// By default, a signal ends the process without its exit handlers, which stop child processes and the database server.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
  const code = await main();
  await closeTestServer();
  process.exit(code);
} catch (error) {
  console.error(error);
  process.exit(1);
}
