import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";
import { createDatabase } from "../bench/database.ts";
import { formatTable, rounded } from "../bench/table.ts";
import { Arena } from "./arena.ts";
import { rows } from "./rows/rows.ts";
import { bounds, type Pace, type RowResult, runRow, sumOf, wordsOf } from "./run-row.ts";

/**
 * `node --import tsx test/overload/main.ts [row ...]` runs the named rows, or all. A row attacks the service with one
 * client and measures another client. The program prints tables and writes .run/overload.json. It exits with 1 if a
 * row failed or missed its bounds.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const pace: Pace = { warm: 3_000, quiet: 5_000, attack: 12_000, recover: 60_000 };
const size = { others: 50, orders: 60_000, contacts: 100_000, records: 100_000 };

type Done = RowResult | { readonly misses: readonly string[] };

async function main(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.filter((name) => !rows[name]);
  if (unknown.length > 0) throw new Error(`no row ${unknown.join(", ")}; there are ${Object.keys(rows).join(", ")}`);

  const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
  say("building what production runs");
  execFileSync("make", ["--silent", "build"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const server = await startEmbeddedPostgres({ directory: `${root}.data/overload-postgres`, fsync: true, log: say });
  const done: Record<string, Done> = {};
  try {
    const database = await createDatabase(server.url, "overload");
    say(
      `filling a database: ${Object.entries(size)
        .map(([what, count]) => `${count} ${what}`)
        .join(", ")}`,
    );
    const arena = await Arena.open(database.url, "dist", size);
    try {
      for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) {
        const row = rows[name];
        if (!row) continue;
        say(`${name}: ${row.about}`);
        done[name] = await runRow(arena, row, pace).catch((error: Error) => ({ misses: [firstLine(error)] }));
        for (const miss of done[name].misses) say(`  MISSED: ${miss}`);
        write(done);
      }
    } finally {
      await arena.close();
      await database.drop();
    }
  } finally {
    await server.stop();
  }
  print(done);
  return Object.values(done).some(({ misses }) => misses.length > 0) ? 1 : 0;
}

/** Called after each row, so that an interrupted run keeps the results of its finished rows. */
function write(done: Readonly<Record<string, Done>>): void {
  mkdirSync(`${root}.run`, { recursive: true });
  const machine = { date: new Date().toISOString(), node: process.version, cpus: availableParallelism() };
  const report = { ...machine, bounds, pace, size, rows: done };
  writeFileSync(`${root}.run/overload.json`, `${JSON.stringify(report, null, 2)}\n`);
}

/** Joins the first four lines of the message. If the service does not start, the message has several lines. */
const firstLine = ({ message }: Error): string => message.split("\n").slice(0, 4).join(" | ");

function print(done: Readonly<Record<string, Done>>): void {
  const measured = Object.entries(done).filter((entry): entry is [string, RowResult] => "quiet" in entry[1]);
  console.log(
    formatTable({
      title: "What another business feels of it (ms), and the process",
      columns: [
        "row",
        "quiet p50",
        "p99",
        "attacked p50",
        "p99",
        "worst",
        "failures",
        "/livez worst",
        "MB at most",
        "recovered s",
        "load before",
        "clock ms",
        "attackers' CPU %",
        "bounds",
      ],
      rows: measured.map(([name, result]) => [
        name,
        result.quiet.p50Ms,
        result.quiet.p99Ms,
        result.attacked.p50Ms,
        result.attacked.p99Ms,
        result.attacked.worstMs,
        wordsOf(result.attacked.failures) || 0,
        result.live.worstMs,
        result.peakMegabytes ?? "?",
        result.recoverySeconds ?? "never",
        result.loadAverage,
        result.clockMs,
        result.told.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0),
        rows[name]?.isControl ? "none" : result.misses.length === 0 ? "kept" : "MISSED",
      ]),
    }),
  );
  console.log("\nWhat the attackers got, and what else was seen");
  for (const [name, { told, figures }] of measured) {
    const outcomes = wordsOf(sumOf(told.map((each) => each.outcomes))) || "nothing";
    const sent = rounded(told.reduce((sum, { bytesSent }) => sum + bytesSent, 0) / 2 ** 20);
    const others = [{ "MB sent": sent }, ...told.map((each) => each.figures), figures].flatMap(Object.entries);
    console.log(`  ${name}: ${[outcomes, ...others.map(([what, value]) => `${what}: ${value}`)].join("; ")}`);
  }
  console.log("");
  for (const [name, { misses }] of Object.entries(done)) {
    for (const miss of misses) console.log(`MISSED: ${name}: ${miss}`);
  }
}

// A signal alone would not run the exit handlers that stop the children and the database server.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error);
  process.exit(1);
}
