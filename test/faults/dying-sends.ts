import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/sandbox/core/random.ts";
import { eventually } from "../support/wait.ts";
import type { Outcome, Victim } from "./scenario.ts";

interface MessageRow {
  readonly phone: string;
  readonly reference: string;
  readonly state: string;
  readonly attempt: number;
  readonly announced: number;
}

/**
 * Milliseconds until all messages must be settled. In this time, the killed process's leases and its lock on periodic
 * work expire, and then the sweep runs.
 */
const settledMs = 30_000;

/** One query counts the events of all messages, since a query for each message would take too long. */
const messages = (victim: Victim): Promise<MessageRow[]> =>
  victim.rows<MessageRow>(`
    with announced as (
      select business_id, (payload->'message'->>'id')::bigint as id, count(*)::int as times
      from realtime_events where name = 'message:new' group by 1, 2
    )
    select contacts.phone, message.reference::text as reference, message.state, message.attempt,
           coalesce(announced.times, 0) as announced
    from messages as message
    join chats on chats.business_id = message.business_id and chats.id = message.chat_id
    join contacts on contacts.business_id = chats.business_id and contacts.id = chats.contact_id
    left join announced on announced.business_id = message.business_id and announced.id = message.id
    where message.direction = 'out' order by message.id`);

const phoneOf = (n: number): string => `591${70_000_000 + n}`;
const phonesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => phoneOf(first + n));

/**
 * The platform accepts messages, and the process is killed before it gets the answers. The messages must be `unknown`
 * until a status arrives.
 */
export function dieBeforeTheCommit(victim: Victim, first: number, requests: number): Promise<Outcome> {
  return dieWhileSending(victim, phonesFrom(first, requests), (phone) => victim.send(phone));
}

/** Like `dieBeforeTheCommit`, but for agents' answers with an Idempotency-Key. Repeated requests must send nothing. */
export async function dieBeforeTheAnswersCommit(victim: Victim, first: number, requests: number): Promise<Outcome> {
  const phones = phonesFrom(first, requests);
  const chats = await chatsOf(victim, phones);
  const answer = (phone: string) => victim.answer(chats.get(phone) ?? 0, `answer-${phone}`);
  const { figures, violations } = await dieWhileSending(victim, phones, answer);
  const before = await victim.counts();
  const repeated = await Promise.all(phones.map(answer));
  const replayed = repeated.filter((status) => status === 409 || status === 500).length;
  const after = await victim.counts();
  const rows = (await messages(victim)).filter(({ phone }) => phones.includes(phone));
  const said = [
    ...(replayed === requests ? [] : [`repeated answers were answered ${[...new Set(repeated)].join(", ")}`]),
    ...(after.requests === before.requests ? [] : ["a repeated answer was sent again"]),
    ...(rows.length === requests ? [] : ["a repeated answer was stored again"]),
  ];
  return { figures: { ...figures, repeated: replayed }, violations: [...violations, ...said] };
}

/** Lets the customers write. Returns the ids of their chats by phone number. */
async function chatsOf(victim: Victim, phones: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await Promise.all(phones.map((phone) => victim.control("POST", `/customers/${phone}/say`, { text: "Hola" })));
  const rows = await eventually(async () => {
    const found = await victim.rows<{ phone: string; id: number }>(`
      select contacts.phone, chats.id
      from chats join contacts on contacts.business_id = chats.business_id and contacts.id = chats.contact_id
      where chats.last_inbound_at is not null`);
    const own = found.filter(({ phone }) => phones.includes(phone));
    return own.length === phones.length && own;
  }, settledMs);
  return new Map(rows.map(({ phone, id }) => [phone, id]));
}

async function dieWhileSending(
  victim: Victim,
  phones: readonly string[],
  send: (phone: string) => Promise<number | null>,
): Promise<Outcome> {
  const violations: string[] = [];
  const requests = phones.length;
  const before = await victim.counts();
  await victim.control("POST", "/webhooks", { paused: true });
  await victim.control("POST", "/faults", { count: requests, path: "messages", accept: true, hang: true });
  const answers = Promise.all(phones.map(send));
  await eventually(async () => (await victim.counts()).accepted === before.accepted + requests);
  const own = async () => (await messages(victim)).filter(({ phone }) => phones.includes(phone));
  const isOpen = ({ state }: MessageRow) => state === "sending" || state === "unknown";
  if (!(await own()).every(isOpen)) violations.push("an outcome was known before the platform answered");
  await victim.kill();
  const answered = (await answers).filter((status) => status !== null).length;
  if (answered > 0) violations.push(`${answered} requests were answered although the process died before`);

  await victim.startAgain();
  const settled = async (...states: string[]) =>
    await eventually(async () => {
      const rows = await own();
      return rows.every(({ state }) => states.includes(state)) && rows;
    }, settledMs);
  const unknown = await settled("unknown");
  await victim.control("POST", "/webhooks", { paused: false });
  const rows = await settled("read");

  const after = await victim.counts();
  const requested = after.requests - before.requests;
  if (rows.length !== requests) violations.push(`${rows.length} messages of ${requests} requests`);
  if (requested !== requests) violations.push(`${requested} requests to the platform for ${requests} messages`);
  if (after.duplicates > 0) violations.push(`${after.duplicates} messages were accepted twice`);
  if (rows.some(({ attempt }) => attempt !== 1)) violations.push("a message was tried again");
  if (rows.some(({ announced }) => announced !== 1)) violations.push("a message was not announced exactly once");
  return { figures: { requests, kills: 1, unknown: unknown.length, read: rows.length }, violations };
}

/** Kills the process at random moments while it sends, and checks all messages at the end. */
export async function dieAtRandom(
  victim: Victim,
  first: number,
  random: Random,
  { rounds, parallel }: { readonly rounds: number; readonly parallel: number },
): Promise<Outcome> {
  const statuses = new Map<string, number | null>();
  const before = await victim.counts();
  for (let round = 0; round < rounds; round += 1) {
    const phones = Array.from({ length: parallel }, (_, n) => phoneOf(first + round * parallel + n));
    // The answers are slow, so that kills hit requests in every stage.
    const slow = { count: parallel, path: "messages", delay_ms: random.between(1, 60) };
    await victim.control("POST", "/faults", slow);
    const { accepted } = await victim.counts();
    const sends = phones.map(async (phone) => statuses.set(phone, await victim.send(phone)));
    // The kill must hit a random moment of sending. After a mere delay, a slow machine might not have sent anything.
    const killedAfter = accepted + random.between(0, parallel - 1);
    await eventually(async () => (await victim.counts()).accepted >= killedAfter);
    await sleep(random.between(0, 50));
    await victim.kill();
    await Promise.all(sends);
    await victim.control("DELETE", "/faults");
    await victim.startAgain();
  }

  const own = async () => (await messages(victim)).filter(({ phone }) => statuses.has(phone));
  const accepted = await eventually(async () => {
    // The platform's count comes first, so that a webhook delivered between both queries is counted by the second one.
    const { pending } = await victim.control<{ pending: number }>("GET", "/webhooks");
    const [underWay] = await victim.rows<{ count: number }>(`
      select (select count(*)::int from messages where state in ('queued', 'sending'))
           + (select count(*)::int from incoming_webhooks) as count`);
    return underWay?.count === 0 && pending === 0 && (await acceptedReferences(victim));
  }, settledMs);

  const rows = await own();
  const { duplicates, ...after } = await victim.counts();
  const violations: string[] = duplicates > 0 ? [`${duplicates} messages were accepted twice`] : [];
  for (const { phone, reference, state, attempt, announced } of rows) {
    const times = accepted.get(reference) ?? 0;
    const message = `the message ${reference} (${state}, answered ${statuses.get(phone) ?? "nothing"})`;
    if (times > 1) violations.push(`${message} was accepted ${times} times`);
    if (attempt !== 1) violations.push(`${message} was tried ${attempt} times`);
    if (times === 1 && state !== "read") violations.push(`${message} was accepted and is not settled`);
    if (times === 0 && state !== "unknown") violations.push(`${message} was never accepted`);
    if (statuses.get(phone) === 200 && times !== 1) violations.push(`${message} was answered 200`);
    if (announced !== 1) violations.push(`${message} was announced ${announced} times`);
  }
  const known = new Set(rows.map(({ reference }) => reference));
  const taken = after.accepted - before.accepted;
  const recorded = [...accepted.keys()].filter((reference) => known.has(reference)).length;
  if (recorded !== taken) violations.push(`${taken} were accepted, ${recorded} of them are recorded`);
  if (new Set(rows.map(({ phone }) => phone)).size !== rows.length) violations.push("a request left two messages");
  const count = (wanted: (row: MessageRow) => boolean) => rows.filter(wanted).length;
  return {
    figures: {
      requests: statuses.size,
      kills: rounds,
      recorded: rows.length,
      accepted: taken,
      "answered 200": [...statuses.values()].filter((status) => status === 200).length,
      "settled by status": count(({ state, phone }) => state === "read" && statuses.get(phone) !== 200),
      unknown: count(({ state }) => state === "unknown"),
    },
    violations,
  };
}

/** How often the platform accepted each reference. */
async function acceptedReferences(victim: Victim): Promise<ReadonlyMap<string, number>> {
  const accepted = await victim.control<{ reference: string }[]>("GET", "/messages?limit=100000");
  const times = new Map<string, number>();
  for (const { reference } of accepted) times.set(reference, (times.get(reference) ?? 0) + 1);
  return times;
}
