import type { Bench } from "./bench.ts";
import { type Accepted, CampaignArena, wrongWith } from "./campaigns.ts";
import { rounded } from "./table.ts";

const perSecond = 1_000;
const seconds = 12;
const recipients = perSecond * seconds;
/** The share of its rate limit that each sender must reach. */
const aim = 0.95;
/** The share of its rate limit that a sender may send at most in any second. */
const most = 1.02;
const longestMs = 90_000;

interface Pace {
  readonly perSecond: number;
  /** The most messages within any 1,000 ms. */
  readonly fullest: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/**
 * Checks that two senders reach their rate limits at the same time. Each sender has its own worker. No sender may
 * exceed its limit by more than `most` allows.
 */
const bench: Bench = {
  about: `two workers on two numbers that may send ${perSecond} a second each`,
  run: async (arena) => {
    const campaigns = await CampaignArena.open(arena, {
      businesses: 2,
      contacts: recipients,
      messagesPerSecond: perSecond,
    });
    const ids = [1, 2];
    const shots = ids.map((id) => campaigns.request(id, recipients));
    for (const shot of shots) await campaigns.register({ ...shot, body: laterThan(shot.body) });
    const workers = await Promise.all([campaigns.worker(), campaigns.worker()]);
    await campaigns.rows("update campaigns set starts_at = now()");
    const drainers = new Map<number, Set<string>>(ids.map((id) => [id, new Set()]));
    await campaigns.untilOver(longestMs, async () => {
      const held = await campaigns.rows<{ number: number; by: string }>(
        "select business_id as number, drained_by::text as by from senders where drained_by is not null",
      );
      for (const { number, by } of held) drainers.get(number)?.add(by);
    });
    const { messages, duplicates } = await campaigns.accepted();
    const failures = wrongWith("rates", await campaigns.outcome(), duplicates);
    await Promise.all(workers.map((worker) => worker.stop()));
    await campaigns.close();

    const paces = ids.map((id) => paceOf(messages.filter(({ phoneNumberId }) => phoneNumberId === `number-${id}`)));
    // The time from the first message of the two senders to their last one.
    const began = Math.min(...paces.map(({ firstAt }) => firstAt));
    const ended = Math.max(...paces.map(({ lastAt }) => lastAt));
    const together = rounded(messages.length / ((ended - began) / 1_000) / (ids.length * perSecond), 3);
    const reached = Math.min(...paces.map((pace) => pace.perSecond)) >= aim * perSecond && together >= aim;
    const each = [...drainers.values()].map((ofNumber) => [...ofNumber]);
    const shared = each.every(({ length }) => length === 1) && new Set(each.flat()).size === ids.length;
    if (!shared) failures.push("rates: it was not one worker for each number");
    for (const [index, { fullest }] of paces.entries()) {
      if (fullest > most * perSecond) failures.push(`rates: number ${ids[index]} sent ${fullest} in one second`);
    }
    const verdict = `the aim is at least ${aim} of both limits together: ${reached ? "met" : "not met"}`;
    return {
      tables: [
        {
          title: `Two numbers limited to ${perSecond}/s; ${verdict}; no second above ${most * perSecond}`,
          columns: ["", "messages/s", "fullest second"],
          rows: [
            ...paces.map((pace, index) => [`number ${ids[index]}`, rounded(pace.perSecond), pace.fullest]),
            [`together (${new Set(each.flat()).size} workers)`, `${together} of both limits`, ""],
          ],
        },
      ],
      figures: { recipients, paces, together, workers: new Set(each.flat()).size, aim, most },
      failures,
      belowAim: reached ? [] : [`two numbers: ${together} of their limits together, below the aim of ${aim}`],
    };
  },
};
export default bench;

const laterThan = (body: string): string =>
  JSON.stringify({ ...JSON.parse(body), schedule_at: "2099-01-01T00:00:00Z" });

/** Computes the pace from the accepted messages, oldest first. */
function paceOf(accepted: readonly Accepted[]): Pace {
  const times = accepted.map(({ at }) => Date.parse(at));
  const firstAt = times[0] ?? Number.NaN;
  const lastAt = times.at(-1) ?? Number.NaN;
  let fullest = 0;
  let from = 0;
  times.forEach((at, index) => {
    while (at - (times[from] ?? at) >= 1_000) from += 1;
    fullest = Math.max(fullest, index - from + 1);
  });
  return { perSecond: times.length / ((lastAt - firstAt) / 1_000), fullest, firstAt, lastAt };
}
