import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/sandbox/core/random.ts";
import type { OwnProcess } from "../bench/processes.ts";
import { eventually } from "../support/wait.ts";
import type { CampaignStage, RunningCampaign, Verdict } from "./campaign-stage.ts";
import type { Outcome } from "./scenario.ts";

/** Milliseconds after the last fault until everything must be settled. */
const settledWithinMs = 60_000;

export interface CampaignSize {
  readonly recipients: number;
  /** The number of rounds of faults. In `shareTheWork`, which has no faults, the number of campaigns. */
  readonly rounds: number;
}

type Scenario = (stage: CampaignStage, random: Random, size: CampaignSize) => Promise<Outcome>;

/**
 * Kills the sending worker at random moments, while another worker is ready. The platform sends no status before the
 * last kill, so only stored rows tell a new worker which messages were sent.
 */
export const dieWhileDraining: Scenario = async (stage, random, { recipients, rounds }) => {
  await stage.control("POST", "/webhooks", { paused: true });
  const drainer = await stage.startWorker();
  const campaign = await stage.register(recipients);
  await killOneAfterTheOther(stage, drainer, rounds, async () => {
    // The answers are slow, so that kills hit requests in every stage.
    await stage.control("POST", "/faults", { count: 20, path: "messages", delay_ms: random.between(1, 60) });
    await campaign.inTheMiddle(random.between(0, 400));
  });
  const waiting = await campaign.waiting();
  await stage.control("DELETE", "/faults");
  await stage.control("POST", "/webhooks", { paused: false });
  return await judged(campaign, { kills: rounds, "waiting after the last": waiting }, () => stage.killAll());
};

/** Freezes the sending worker until its leases have expired and another worker sends. Then the first one continues. */
export const freezeWhileDraining: Scenario = async (stage, random, { recipients, rounds }) => {
  let drainer = await stage.startWorker();
  const campaign = await stage.register(recipients);
  await campaign.inTheMiddle(0);
  let spare = await stage.startWorker();
  for (let freezes = 0; freezes < rounds; freezes += 1) {
    await campaign.inTheMiddle(random.between(0, 200));
    process.kill(drainer.pid, "SIGSTOP");
    // In this time, the frozen worker's leases on the sender and the recipients expire. Usually the sweep runs too.
    await sleep(random.between(3_000, 8_000));
    process.kill(drainer.pid, "SIGCONT");
    [drainer, spare] = [spare, drainer];
  }
  const waiting = await campaign.waiting();
  return await judged(campaign, { freezes: rounds, "waiting after the last": waiting }, () => stage.killAll());
};

/** Statuses arrive late, in any order and three times each, while workers are killed. */
export const confuseStatuses: Scenario = async (stage, random, { recipients, rounds }) => {
  await stage.control("POST", "/webhooks", { paused: true });
  const drainer = await stage.startWorker();
  const campaign = await stage.register(recipients);
  await killOneAfterTheOther(stage, drainer, rounds, async () => {
    await campaign.inTheMiddle(random.between(0, 400));
    const seed = random.between(1, 1_000_000);
    await stage.control("POST", "/webhooks", { paused: random.chance(0.5), shuffled: true, seed, repeat: 3 });
  });
  const waiting = await campaign.waiting();
  await stage.control("POST", "/webhooks", { paused: false });
  return await judged(campaign, { kills: rounds, "waiting after the last": waiting }, () => stage.killAll());
};

/**
 * In each round, the platform's rate limit is lower than the sender's rate for a while. The platform also refuses up to
 * four messages regardless of the rate. All messages must be sent in the end.
 */
export const stormOfRateLimits: Scenario = async (stage, random, { recipients, rounds }) => {
  const worker = await stage.startWorker();
  const campaign = await stage.register(recipients);
  for (let storms = 0; storms < rounds; storms += 1) {
    await campaign.inTheMiddle(random.between(0, 200));
    await stage.limitPlatform(random.between(5, 50));
    const code = random.pick([130429, 131057, 80007, 4]);
    const asked = random.chance(0.3) ? { retry_after: 1 } : {};
    await stage.control("POST", "/faults", { count: random.between(1, 4), path: "messages", code, ...asked });
    await sleep(random.between(500, 2_000));
    await stage.limitPlatform(undefined);
  }
  await stage.control("DELETE", "/faults");
  const outcome = await judged(campaign, { storms: rounds }, () => stage.kill(worker));
  const unknown = outcome.figures.resent ?? 0;
  const wrong = unknown === 0 ? [] : [`${unknown} refused messages became unknown`];
  return { ...outcome, violations: [...outcome.violations, ...wrong] };
};

/** The answers to some messages are missing, cut off, garbage or status 502. Some of these messages were accepted. */
export const loseAnswers: Scenario = async (stage, random, { recipients, rounds }) => {
  const worker = await stage.startWorker();
  const campaign = await stage.register(recipients);
  let faults = 0;
  for (let round = 0; round < rounds; round += 1) {
    await campaign.inTheMiddle(random.between(0, 100));
    const kind = random.pick(["hang", "reset", "garbage", "status"]);
    const count = random.between(1, 15);
    faults += count;
    await stage.control("POST", "/faults", {
      count,
      path: "messages",
      accept: random.chance(0.5),
      [kind]: kind === "status" ? 502 : true,
    });
  }
  await eventually(async () => (await stage.control<unknown[]>("GET", "/faults")).length === 0, settledWithinMs);
  return await judged(campaign, { faults }, () => stage.kill(worker));
};

/** Breaks all connections of the service to the database twice a second. */
export const cutTheDatabase: Scenario = async (stage, _random, { recipients, rounds }) => {
  const worker = await stage.startWorker();
  const campaign = await stage.register(recipients);
  let cuts = 0;
  for (; cuts < rounds; cuts += 1) {
    await sleep(500);
    await stage.cutConnections();
  }
  const waiting = await campaign.waiting();
  return await judged(campaign, { cuts, "waiting after the last": waiting }, () => stage.kill(worker));
};

/** Two workers send, and a client of each of two APIs listens. Each client must get each message's event once. */
export const shareTheWork: Scenario = async (stage, _random, { recipients, rounds }) => {
  const [otherApi] = await Promise.all([stage.startApi(), stage.startWorker(), stage.startWorker()]);
  const clients = [await stage.listen(stage.api), await stage.listen(otherApi)];
  const verdicts: Verdict[] = [];
  const campaigns: RunningCampaign[] = [];
  for (let n = 0; n < rounds; n += 1) campaigns.push(await stage.register(recipients));
  for (const campaign of campaigns) {
    await campaign.settle(settledWithinMs);
    verdicts.push(await campaign.verdict());
  }
  const sent = campaigns.length * recipients;
  const heardBy = (client: readonly string[]) => client.filter((name) => name === "message:new").length;
  await eventually(() => clients.every((client) => heardBy(client) >= sent), settledWithinMs).catch(() => {});
  const wrong = clients.flatMap((client, n) =>
    heardBy(client) === sent ? [] : [`client ${n + 1} got ${heardBy(client)} events for ${sent} messages`],
  );
  await Promise.all([stage.killAll(), otherApi.kill()]);
  const figures: Record<string, number> = { campaigns: campaigns.length };
  for (const verdict of verdicts)
    for (const [name, value] of Object.entries(verdict.figures)) figures[name] = (figures[name] ?? 0) + value;
  return {
    figures: {
      ...figures,
      "heard by the first": heardBy(clients[0] ?? []),
      "by the second": heardBy(clients[1] ?? []),
    },
    violations: [...wrong, ...verdicts.flatMap(({ violations }) => violations)],
  };
};

/** Like `shareTheWork`, but a worker and an API are killed in the middle. The other API's client must miss no event. */
export const loseOneOfEach: Scenario = async (stage, random, { recipients }) => {
  const [otherApi, doomed] = await Promise.all([stage.startApi(), stage.startWorker(), stage.startWorker()]);
  const client = await stage.listen(stage.api);
  const campaign = await stage.register(recipients);
  await campaign.inTheMiddle(random.between(0, 400));
  await Promise.all([otherApi.kill(), stage.kill(doomed)]);
  const waiting = await campaign.waiting();
  const heard = () => client.filter((name) => name === "message:new").length;
  const outcome = await judged(
    campaign,
    { "APIs killed": 1, "workers killed": 1, "waiting then": waiting },
    async () => {
      await eventually(() => heard() >= recipients, settledWithinMs).catch(() => {});
      await stage.killAll();
    },
  );
  // For each recipient, a sent message was announced, and also any earlier message that stayed `unknown`.
  const announced = recipients + (outcome.figures["left unknown"] ?? 0);
  const wrong = heard() === announced ? [] : [`the client got ${heard()} events for ${announced} messages`];
  return {
    figures: { ...outcome.figures, "heard by the client": heard() },
    violations: [...outcome.violations, ...wrong],
  };
};

/** Kills one worker after the other while the next one starts. */
async function killOneAfterTheOther(
  stage: CampaignStage,
  first: OwnProcess,
  kills: number,
  untilKill: () => Promise<void>,
): Promise<void> {
  let drainer = first;
  let spare = stage.startWorker();
  for (let n = 0; n < kills; n += 1) {
    // Prevents an unhandled rejection if the start fails. The `await` below still throws the error.
    spare.catch(() => {});
    await untilKill();
    await stage.kill(drainer);
    drainer = await spare;
    if (n + 1 < kills) spare = stage.startWorker();
  }
}

/** Waits until the campaign is settled, runs `afterwards`, and returns the verdict and the duration. */
async function judged(
  campaign: RunningCampaign,
  figures: Readonly<Record<string, number>>,
  afterwards: () => Promise<void>,
): Promise<Outcome> {
  const began = performance.now();
  const late: string[] = [];
  await campaign
    .settle(settledWithinMs)
    .catch((error: Error) => void late.push(`not settled in time: ${error.message}`));
  const settledMs = Math.round(performance.now() - began);
  const verdict = await campaign.verdict();
  await afterwards();
  return {
    figures: { ...figures, ...verdict.figures, "settled after ms": settledMs },
    violations: [...late, ...verdict.violations],
  };
}

/** The scenarios by name. Their campaigns are long enough for all faults. */
export const campaignScenarios: Readonly<Record<string, readonly [Scenario, CampaignSize]>> = {
  "killed while it sends a campaign": [dieWhileDraining, { recipients: 3_000, rounds: 30 }],
  "frozen while it sends a campaign": [freezeWhileDraining, { recipients: 3_000, rounds: 4 }],
  "statuses late, shuffled and sent three times": [confuseStatuses, { recipients: 3_000, rounds: 5 }],
  "storms of rate limits": [stormOfRateLimits, { recipients: 1_000, rounds: 8 }],
  "hangs, resets and garbage": [loseAnswers, { recipients: 3_000, rounds: 25 }],
  "database connections cut twice a second": [cutTheDatabase, { recipients: 3_000, rounds: 30 }],
  "one of two workers and one of two APIs are killed": [loseOneOfEach, { recipients: 2_000, rounds: 1 }],
  "two workers and two APIs": [shareTheWork, { recipients: 1_000, rounds: 3 }],
};
