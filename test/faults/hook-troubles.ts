import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/sandbox/core/random.ts";
import { quantile, rounded } from "../bench/table.ts";
import { eventually } from "../support/wait.ts";
import type { Endpoint, Part } from "./hook-receivers.ts";
import type { HookStage, Logged } from "./hook-stage.ts";
import type { Outcome } from "./scenario.ts";

const messages = "message.new";
const orders = "order.changed";

/** Four endpoints that fail in different ways, and sixteen that work. */
export const parts: readonly Part[] = [
  { manner: "hangs", events: [messages] },
  { manner: "fails", events: [orders] },
  { manner: "gone", events: [messages, orders] },
  { manner: "redirects", events: [orders] },
  ...Array.from({ length: 16 }, (_, n): Part => {
    return { manner: "takes", events: [[messages, orders], [messages], [orders], [orders]][n % 4] ?? [] };
  }),
];

export interface HookSize {
  readonly events: number;
  readonly kills: number;
  /** The number of events that are spread evenly over `evenSeconds`, after the last kill. */
  readonly even: number;
  readonly evenSeconds: number;
  /** Milliseconds until all events must be delivered. */
  readonly patienceMs: number;
}

/** Seconds by which the first three retries become due earlier: more than their delays, so that each is due at once. */
const pausesOfAnHour = [6, 331, 1_981];
/** The same for the fourth retry. By then the failing endpoint works again. */
const pauseAfterThat = 7_921;
/** The allowed p99 of the delays, in milliseconds. If a hanging endpoint blocked others, their delays would be 15 s. */
const heldUpMs = 5_000;

/**
 * Delivers events to many endpoints while the worker is killed and some endpoints fail. Working endpoints must get all
 * events in order, and failing endpoints must not delay these events. A repeated event must have the same id as before.
 */
export async function troubleHooks(stage: HookStage, random: Random, size: HookSize): Promise<Outcome> {
  const { events, kills, even, evenSeconds, patienceMs } = size;
  for (let round = 0; round <= kills; round += 1) {
    const happening = stage.happen(Math.floor(events / (kills + 1)));
    // Prevents an unhandled rejection during the kill. The `await` below still throws the error.
    happening.catch(() => {});
    if (round < kills) {
      // The kill must hit a random moment.
      await sleep(random.between(300, 1_500));
      await stage.killWorker();
    }
    await happening;
  }
  const well = stage.endpoints.all.filter(({ part }) => part.manner === "takes");
  /** Counts the events that are logged now. The returned function checks whether all of them were delivered. */
  const allDelivered = async () => {
    const logged = await stage.logged();
    const wanted = new Map(well.map((endpoint) => [endpoint, wantedOf(endpoint, logged).length]));
    return async () => well.every((endpoint) => endpoint.took.length === wanted.get(endpoint));
  };
  const violations: string[] = [];
  const within = (what: string, isSo: () => Promise<boolean>) =>
    eventually(isSo, patienceMs).catch(() => void violations.push(`${what}: not within ${patienceMs} ms`));
  await within("all events were delivered", await allDelivered());

  const before = new Map(well.map((endpoint) => [endpoint, endpoint.took.length]));
  for (let second = 0; second < evenSeconds; second += 1) {
    await Promise.all([stage.happen(Math.floor(even / evenSeconds)), sleep(1_000)]);
  }
  await within("all evenly spread events were delivered", await allDelivered());
  const delays = well.flatMap((endpoint) => endpoint.took.slice(before.get(endpoint)).map(({ delayMs }) => delayMs));
  const p99 = rounded(quantile(delays, 0.99));
  if (p99 > heldUpMs) violations.push(`working endpoints were delayed: p99 ${p99} ms`);

  await failForAnHour(stage, within);
  const logged = await stage.logged();
  const recovered = stage.endpoints.of("fails");
  for (const endpoint of [...well, recovered]) violations.push(...lostAt(endpoint, logged), ...endpoint.wrong);
  for (const endpoint of well) violations.push(...orderViolations(endpoint));
  violations.push(...(await violationsOfTheBad(stage, logged)));
  const sum = (of: (endpoint: Endpoint) => number) => well.reduce((all, endpoint) => all + of(endpoint), 0);
  const figures = {
    events: logged.length,
    kills,
    delivered: sum(({ took }) => took.length),
    repeats: sum(({ repeats }) => repeats),
    recovered: recovered.took.length,
    "p99 ms": p99,
  };
  return { figures, violations };
}

/**
 * Makes the retries of the failing endpoint due at once, since their delays would add up to more than two hours. The
 * endpoint works again before the fourth retry.
 */
async function failForAnHour(
  stage: HookStage,
  within: (what: string, isSo: () => Promise<boolean>) => Promise<unknown>,
): Promise<void> {
  const failing = stage.endpoints.of("fails");
  const attempted = (times: number) => async () => {
    const waiting = await stage.rows(`
      select from webhook_deliveries where webhook_id = ${failing.webhookId} and attempts < ${times} limit 1`);
    return waiting.length === 0;
  };
  let times = 1;
  await within("each event was tried once at the failing endpoint", attempted(times));
  for (const seconds of pausesOfAnHour) {
    await stage.advanceRetries(failing.webhookId, seconds);
    times += 1;
    await within(`each event was tried ${times} times at the failing endpoint`, attempted(times));
  }
  failing.isWell = true;
  await stage.advanceRetries(failing.webhookId, pauseAfterThat);
  const wanted = wantedOf(failing, await stage.logged()).length;
  await within("the recovered endpoint has all events", async () => failing.took.length === wanted);
}

const wantedOf = ({ part }: Endpoint, logged: readonly Logged[]): readonly Logged[] =>
  logged.filter(({ type }) => part.events.includes(type));

function lostAt(endpoint: Endpoint, logged: readonly Logged[]): string[] {
  const delivered = new Set(endpoint.took.map(({ number }) => number));
  const lost = wantedOf(endpoint, logged).filter(({ number }) => !delivered.has(number));
  const twice = endpoint.took.length - delivered.size;
  return [
    ...lost.map(({ number, type }) => `endpoint ${endpoint.webhookId} did not get ${type} ${number}`),
    ...(twice > 0 ? [`endpoint ${endpoint.webhookId} got ${twice} events with two ids`] : []),
  ];
}

/** Finds events that came after a later event of their chat or order. */
function orderViolations({ webhookId, took }: Endpoint): string[] {
  const last = new Map<string, number>();
  return took.flatMap(({ subject, number }) => {
    const before = last.get(subject) ?? 0;
    last.set(subject, number);
    return before < number ? [] : [`endpoint ${webhookId} got ${number} after ${before} of ${subject}`];
  });
}

interface Shown {
  readonly disabled: boolean;
}
interface Audited {
  readonly data: readonly { readonly after: { readonly reason?: string } | null }[];
}

async function violationsOfTheBad(stage: HookStage, logged: readonly Logged[]): Promise<string[]> {
  const { endpoints } = stage;
  const [hanging, gone, redirecting] = [endpoints.of("hangs"), endpoints.of("gone"), endpoints.of("redirects")];
  const shown = ({ webhookId }: Endpoint) => stage.administer<Shown>("GET", `/admin/webhooks/${webhookId}`);
  const violations: string[] = [];
  if (!(await shown(gone)).disabled) violations.push("the endpoint that answered 410 is not disabled");
  const audit = await stage.administer<Audited>("GET", `/admin/audit?resource=webhooks&record=${gone.webhookId}`);
  if (!audit.data.some(({ after }) => after?.reason === "410")) violations.push("the audit does not mention the 410");
  if (endpoints.followed > 0) violations.push(`${endpoints.followed} redirects were followed`);
  for (const endpoint of [hanging, redirecting]) {
    if (endpoint.asked === 0) violations.push(`endpoint ${endpoint.webhookId} was never asked`);
    if ((await shown(endpoint)).disabled) violations.push(`endpoint ${endpoint.webhookId} was disabled too soon`);
    const [kept] = await stage.rows<{ count: number }>(`
      select count(*)::integer as count from webhook_deliveries
      where webhook_id = ${endpoint.webhookId} and state = 'waiting'`);
    const wanted = wantedOf(endpoint, logged).length;
    if (kept?.count !== wanted) violations.push(`endpoint ${endpoint.webhookId}: ${kept?.count} of ${wanted} wait`);
  }
  return violations;
}
