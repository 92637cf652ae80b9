import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Random } from "../../src/demo/random.ts";
import { formatTable } from "../bench/table.ts";
import { closeTestServer, freshDatabase } from "../support/database.ts";
import { dieAtRandom, dieBeforeTheCommit } from "./dying-sends.ts";
import { dieWhileCustomersWrite } from "./dying-webhooks.ts";
import { type Outcome, Victim } from "./scenario.ts";

/**
 * `node --import tsx test/faults/main.ts [repeats] [seed]`: kills the service again and again, each time at other
 * moments; prints tables and writes .run/faults.json. Ends with 1 when anything was sent twice, lost or left open.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
/** More phone numbers than one scenario uses: each run has numbers of its own. */
const numbersEach = 1_000;

const scenarios: Readonly<Record<string, (victim: Victim, first: number, random: Random) => Promise<Outcome>>> = {
  "between the platform's answer and the commit": (victim, first) => dieBeforeTheCommit(victim, first, 20),
  "while it sends": (victim, first, random) => dieAtRandom(victim, first, random, { rounds: 4, parallel: 20 }),
  "while customers write": (victim, first, random) =>
    dieWhileCustomersWrite(victim, first, random, { rounds: 4, parallel: 50 }),
};

interface Sum {
  runs: number;
  readonly figures: Record<string, number>;
  readonly violations: string[];
}

async function main(repeats: number, seed: number): Promise<number> {
  const sums: Record<string, Sum> = {};
  const database = await freshDatabase();
  const victim = await Victim.start(database.url);
  let first = 0;
  try {
    for (let run = 0; run < repeats; run += 1) {
      for (const [name, scenario] of Object.entries(scenarios)) {
        sums[name] ??= { runs: 0, figures: {}, violations: [] };
        const { figures, violations } = await scenario(victim, first, new Random(seed + run));
        first += numbersEach;
        console.error(`${run + 1} of ${repeats}: killed ${name}${violations.length > 0 ? ": WRONG" : ""}`);
        add(sums[name], figures, violations, seed + run);
      }
    }
  } finally {
    await victim.close();
    await database.drop();
  }

  for (const [name, { runs, figures, violations }] of Object.entries(sums)) {
    const columns = ["runs", ...Object.keys(figures), "violations"];
    console.log(
      formatTable({ title: `Killed ${name}`, columns, rows: [[runs, ...Object.values(figures), violations.length]] }),
    );
    for (const line of violations) console.log(`WRONG: ${line}`);
  }
  const report = { date: new Date().toISOString(), node: process.version, cpus: availableParallelism(), seed, repeats };
  mkdirSync(`${root}.run`, { recursive: true });
  writeFileSync(`${root}.run/faults.json`, `${JSON.stringify({ ...report, scenarios: sums }, null, 2)}\n`);
  return Object.values(sums).some(({ violations }) => violations.length > 0) ? 1 : 0;
}

function add(sum: Sum, figures: Outcome["figures"], violations: readonly string[], seed: number): void {
  sum.runs += 1;
  for (const [name, value] of Object.entries(figures)) sum.figures[name] = (sum.figures[name] ?? 0) + value;
  sum.violations.push(...violations.map((line) => `seed ${seed}: ${line}`));
}

// The service, the sandbox and the database server end when this process exits, which a signal does not make it do.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
const numbers = process.argv.slice(2).map(Number);
try {
  const code = await main(numbers[0] ?? 10, numbers[1] ?? 1);
  await closeTestServer();
  process.exit(code);
} catch (error) {
  console.error(error);
  process.exit(1);
}
