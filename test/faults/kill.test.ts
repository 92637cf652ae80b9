import { expect } from "chai";
import { Random } from "../../src/sandbox/core/random.ts";
import { channelNames } from "../support/channels.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { dieWhileCustomersWriteOn, loseAnswers } from "./dying-channels.ts";
import { dieWhileEventsAreDelivered } from "./dying-deliveries.ts";
import { dieWhileContactsAreImported } from "./dying-imports.ts";
import { dieAtRandom, dieBeforeTheAnswersCommit } from "./dying-sends.ts";
import { Victim } from "./scenario.ts";

/** The same in every run. `main.ts` runs more scenarios, and takes its seed as an argument. */
const seed = 7;

describe("a process that is killed (kill -9)", () => {
  let database: TestDatabase | undefined;
  let victim: Victim;

  // All tests share one process, since its start takes seconds. Each test uses its own phone numbers.
  before(async () => {
    database = await freshDatabase();
    victim = await Victim.start(database.url);
  });
  // A failed test may have left faults behind.
  beforeEach(async () => {
    await victim.control("POST", "/webhooks", { paused: false });
    await victim.control("DELETE", "/faults");
  });
  after(async () => {
    // `victim` is undefined if the start failed.
    await (victim as Victim | undefined)?.close();
    await database?.drop();
  });

  it("before an agent's answer is committed leaves the answer unknown, and a repeated request sends nothing", async () => {
    const { figures, violations } = await dieBeforeTheAnswersCommit(victim, 4_000, 5);
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ unknown: 5, read: 5, repeated: 5 });
  });

  it("during sends neither repeats nor loses an accepted message", async () => {
    const { figures, violations } = await dieAtRandom(victim, 2_000, new Random(seed), { rounds: 1, parallel: 20 });
    expect(violations).to.deep.equal([]);
    expect(figures.requests).to.equal(20);
  });

  it("during an import leaves whole rows, and importing the file again gives the same contacts", async () => {
    const { violations } = await dieWhileContactsAreImported(victim, 4_000, new Random(seed), {
      rounds: 1,
      rows: 4_000,
    });
    expect(violations).to.deep.equal([]);
  });

  it("during webhook deliveries loses no event and keeps their order", async () => {
    const { violations } = await dieWhileEventsAreDelivered(victim, 5_000, new Random(seed), {
      rounds: 1,
      parallel: 30,
    });
    expect(violations).to.deep.equal([]);
  });

  it("before platforms answer leaves messages of every channel unknown until a status or an echo comes", async () => {
    const lost = { channels: channelNames, count: 3, dies: true };
    const { figures, violations } = await loseAnswers(victim, 6_000, new Random(seed), lost);
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ answers: 15, settled: 10, unknown: 5 });
  });

  it("or that loses the platforms' answers sends nothing twice on any channel", async () => {
    const lost = { channels: channelNames, count: 3, dies: false };
    const { figures, violations } = await loseAnswers(victim, 6_100, new Random(seed), lost);
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ answers: 15, settled: 10, unknown: 5 });
  });

  it("while customers write on every channel stores each accepted message once", async () => {
    const size = { channels: channelNames, rounds: 1, parallel: 15 };
    const { violations } = await dieWhileCustomersWriteOn(victim, 7_000, new Random(seed), size);
    expect(violations).to.deep.equal([]);
  });
});
