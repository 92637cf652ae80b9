import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Random } from "../../src/sandbox/core/random.ts";
import { formatTable } from "../bench/table.ts";
import { channelNames } from "../support/channels.ts";
import { closeTestServer, freshDatabase } from "../support/database.ts";
import { CampaignStage } from "./campaign-stage.ts";
import { campaignScenarios } from "./campaigns.ts";
import { loseACell } from "./dying-cells.ts";
import { dieWhileCustomersWriteOn, loseAnswers } from "./dying-channels.ts";
import { dieWhileEventsAreDelivered } from "./dying-deliveries.ts";
import { dieWhileContactsAreImported } from "./dying-imports.ts";
import { dieAtRandom, dieBeforeTheAnswersCommit, dieBeforeTheCommit } from "./dying-sends.ts";
import { dieWhileCustomersWrite } from "./dying-webhooks.ts";
import { HookStage } from "./hook-stage.ts";
import { type HookSize, parts, troubleHooks } from "./hook-troubles.ts";
import { type MoveSize, moveUnderKills, openMoveStage } from "./moving.ts";
import { type Outcome, Victim } from "./scenario.ts";

/**
 * `node --import tsx test/faults/main.ts [repeats] [seed] [name]` kills the service at random moments. It writes
 * .run/faults.json after each run of a scenario, and prints tables at the end. It exits with 1 after a violation, for
 * example a lost message. `name` selects the scenarios whose names contain it.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
/** Each run of a scenario makes its phone numbers from its own range of this many integers. No run uses all of them. */
const numbersEach = 1_000;
/** Messages per second. A faster campaign would end before its thirty kills. */
const campaignRate = 200;
const hooksName = "20 endpoints, four of them bad, and a delivering worker is killed";
const cellsName = "one of two cells is down for 10 s under load";
const cellsSize = { perSecond: 40, seconds: 10 };
const hookSize: HookSize = { events: 10_000, kills: 5, even: 200, evenSeconds: 10, patienceMs: 600_000 };

/** The environment variables `CHATS` and `KILLS` can make the run shorter. */
const moveSize: MoveSize = {
  chats: Number(process.env.CHATS ?? 100_000),
  messagesEach: 10,
  kills: Number(process.env.KILLS ?? 30),
  killWithinMs: 12_000,
};
const moveName =
  `a business of ${moveSize.chats.toLocaleString("en")} chats and ten times as many messages is moved under load, ` +
  `and its mover is killed ${moveSize.kills} times`;

type Scenario = (victim: Victim, first: number, random: Random) => Promise<Outcome>;

const scenarios: Readonly<Record<string, Scenario>> = {
  "killed between the platform's answer and the commit": (victim, first) => dieBeforeTheCommit(victim, first, 20),
  "killed between the platform's answer and the commit of an agent's answer": (victim, first) =>
    dieBeforeTheAnswersCommit(victim, first, 20),
  "killed while it sends": (victim, first, random) => dieAtRandom(victim, first, random, { rounds: 4, parallel: 20 }),
  "killed while customers write": (victim, first, random) =>
    dieWhileCustomersWrite(victim, first, random, { rounds: 4, parallel: 50 }),
  ...Object.fromEntries(
    channelNames.flatMap((channel): [string, Scenario][] => [
      [
        `killed on ${channel} between the platform's answer and the commit, while statuses come three times or never`,
        (victim, first, random) => loseAnswers(victim, first, random, { channels: [channel], count: 21, dies: true }),
      ],
      [
        `answers lost on ${channel}, while statuses come three times or never`,
        (victim, first, random) => loseAnswers(victim, first, random, { channels: [channel], count: 21, dies: false }),
      ],
      [
        `killed while customers write on ${channel}`,
        (victim, first, random) =>
          dieWhileCustomersWriteOn(victim, first, random, { channels: [channel], rounds: 2, parallel: 50 }),
      ],
    ]),
  ),
  "killed while events are delivered": (victim, first, random) =>
    dieWhileEventsAreDelivered(victim, first, random, { rounds: 4, parallel: 50 }),
  "killed or abandoned by its client while contacts are imported": (victim, first, random) =>
    dieWhileContactsAreImported(victim, first, random, { rounds: 4, rows: 20_000 }),
};

interface Sum {
  runs: number;
  readonly figures: Record<string, number>;
  readonly violations: string[];
}

type Sums = Record<string, Sum>;
type Done = (name: string, outcome: Outcome, seed: number) => void;

async function main(repeats: number, seed: number, wanted: string): Promise<number> {
  const sums: Sums = {};
  const report = { date: new Date().toISOString(), node: process.version, cpus: availableParallelism(), seed, repeats };
  mkdirSync(`${root}.run`, { recursive: true });
  const done: Done = (name, outcome, ofSeed) => {
    add(sums, name, outcome, ofSeed);
    writeFileSync(`${root}.run/faults.json`, `${JSON.stringify({ ...report, scenarios: sums }, null, 2)}\n`);
  };
  await killProcesses(done, repeats, seed, wanted);
  await troubleCampaigns(done, seed, wanted);
  await troubleEndpoints(done, seed, wanted);
  await troubleMoves(done, seed, wanted);
  await killACell(done, seed, wanted);
  for (const [name, { runs, figures, violations }] of Object.entries(sums)) {
    const columns = ["runs", ...Object.keys(figures), "violations"];
    console.log(formatTable({ title: name, columns, rows: [[runs, ...Object.values(figures), violations.length]] }));
    for (const line of violations) console.log(`WRONG: ${line}`);
  }
  return Object.values(sums).some(({ violations }) => violations.length > 0) ? 1 : 0;
}

const verdictOf = (violations: readonly string[]): string =>
  violations.length > 0 ? `: WRONG: ${violations.slice(0, 3).join("; ")}` : "";

async function killProcesses(done: Done, repeats: number, seed: number, wanted: string): Promise<void> {
  const chosen = Object.entries(scenarios).filter(([name]) => name.includes(wanted));
  if (chosen.length === 0) return;
  const database = await freshDatabase();
  const victim = await Victim.start(database.url);
  let first = 0;
  try {
    for (let run = 0; run < repeats; run += 1) {
      for (const [name, scenario] of chosen) {
        const outcome = await scenario(victim, first, new Random(seed + run));
        first += numbersEach;
        console.error(`${run + 1} of ${repeats}: ${name}${verdictOf(outcome.violations)}`);
        done(name, outcome, seed + run);
      }
    }
  } finally {
    await victim.close();
    await database.drop();
  }
}

/** Runs each campaign scenario only once, since a single run takes long and contains many faults. */
async function troubleCampaigns(done: Done, seed: number, wanted: string): Promise<void> {
  for (const [name, [scenario, size]] of Object.entries(campaignScenarios)) {
    if (!name.includes(wanted)) continue;
    const database = await freshDatabase();
    const stage = await CampaignStage.open(database.url, size.recipients, campaignRate);
    try {
      const outcome = await scenario(stage, new Random(seed), size);
      console.error(`campaign: ${name}${verdictOf(outcome.violations)}`);
      done(name, outcome, seed);
    } finally {
      await stage.close();
      await database.drop();
    }
  }
}

async function troubleEndpoints(done: Done, seed: number, wanted: string): Promise<void> {
  if (!hooksName.includes(wanted)) return;
  const database = await freshDatabase();
  const stage = await HookStage.open(database.url, parts);
  try {
    const outcome = await troubleHooks(stage, new Random(seed), hookSize);
    console.error(`webhooks: ${hooksName}${verdictOf(outcome.violations)}`);
    done(hooksName, outcome, seed);
  } finally {
    await stage.close();
    await database.drop();
  }
}

async function troubleMoves(done: Done, seed: number, wanted: string): Promise<void> {
  if (!moveName.includes(wanted)) return;
  const stage = await openMoveStage();
  try {
    const outcome = await moveUnderKills(stage, new Random(seed), moveSize);
    console.error(`moves: ${moveName}${verdictOf(outcome.violations)}`);
    done(moveName, outcome, seed);
  } finally {
    await stage.close();
  }
}

async function killACell(done: Done, seed: number, wanted: string): Promise<void> {
  if (!cellsName.includes(wanted)) return;
  const outcome = await loseACell(cellsSize);
  console.error(`cells: ${cellsName}${verdictOf(outcome.violations)}`);
  done(cellsName, outcome, seed);
}

function add(sums: Sums, name: string, { figures, violations }: Outcome, seed: number): void {
  sums[name] ??= { runs: 0, figures: {}, violations: [] };
  const sum = sums[name];
  sum.runs += 1;
  for (const [name, value] of Object.entries(figures)) sum.figures[name] = (sum.figures[name] ?? 0) + value;
  sum.violations.push(...violations.map((line) => `seed ${seed}: ${line}`));
}

// A signal alone would skip the exit handlers, which stop the child processes and the database server.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
const [repeats = "10", seed = "1", wanted = ""] = process.argv.slice(2);
try {
  const code = await main(Number(repeats), Number(seed), wanted);
  await closeTestServer();
  process.exit(code);
} catch (error) {
  console.error(error);
  process.exit(1);
}
