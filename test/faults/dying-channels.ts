import { setTimeout as sleep } from "node:timers/promises";
import { pageChannel } from "../../src/kernel/channels.ts";
import type { Random } from "../../src/sandbox/core/random.ts";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { addressesOf, providers } from "../support/channels.ts";
import { eventually } from "../support/wait.ts";
import { businessId, type Outcome, type Victim } from "./scenario.ts";

/**
 * Milliseconds until all messages must be settled. In this time, the killed process's leases and its lock on periodic
 * work expire, and then the sweep runs.
 */
const settledMs = 120_000;

/** The sandbox's operation that sends a text on each channel. */
const sending: Readonly<Record<CustomerChannel, string>> = {
  cloud: "messages",
  page: "page_messages",
  photo: "page_messages",
  qr: "send_text",
  "provider-b": "provider_b_messages",
};

const customerOf = (n: number): string => `593${20_000_000 + n}`;
const customersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => customerOf(first + n));

const say = (victim: Victim, channel: CustomerChannel, customer: string, saying: object) =>
  victim.control<{ id: string; delivered: boolean }>("POST", `/customers/${customer}/say`, {
    channel,
    to: addressesOf(businessId)[channel],
    ...saying,
  });

interface Sent {
  readonly provider: string;
  readonly customer: string;
  readonly state: string;
  readonly attempt: number;
  readonly announced: number;
}

/** Customers of a channel, with their chats. */
interface Group {
  readonly channel: CustomerChannel;
  readonly customers: readonly string[];
  readonly chats: readonly number[];
}

const sent = (victim: Victim): Promise<Sent[]> =>
  victim.rows<Sent>(`
    with announced as (
      select business_id, (payload->'message'->>'id')::bigint as id, count(*)::int as times
      from realtime_events where name = 'message:new' group by 1, 2
    )
    select chat.provider, contact.platform_id as customer, message.state, message.attempt,
           coalesce(announced.times, 0) as announced
    from messages as message
    join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
    join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
    left join announced on announced.business_id = message.business_id and announced.id = message.id
    where message.direction = 'out'`);

/** Creates customers who write on the channel. */
async function groupOn(victim: Victim, channel: CustomerChannel, customers: readonly string[]): Promise<Group> {
  await Promise.all(customers.map((customer) => say(victim, channel, customer, { text: "Hola" })));
  const chats = await eventually(async () => {
    const found = await victim.rows<{ customer: string; id: number }>(`
      select contact.platform_id as customer, chat.id
      from chats as chat
      join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
      where chat.last_inbound_at is not null and chat.provider = '${providers[channel]}'`);
    const ids = new Map(found.map(({ customer, id }) => [customer, id]));
    return customers.every((customer) => ids.has(customer)) && customers.map((customer) => ids.get(customer) ?? 0);
  }, settledMs);
  return { channel, customers, chats };
}

/** Whether all webhooks are delivered and handled, and no message is being sent. */
const isQuiet = async (victim: Victim): Promise<boolean> => {
  // The platforms' count comes first, so that a webhook delivered between both queries is counted by the second one.
  const { pending } = await victim.control<{ pending: number }>("GET", "/webhooks");
  const [row] = await victim.rows<{ count: number }>(`
    select (select count(*)::int from messages where state in ('queued', 'sending'))
         + (select count(*)::int from incoming_webhooks) as count`);
  return pending === 0 && row?.count === 0;
};

/**
 * The states in which a page's message counts as settled. A page's report of reading names a time instead of messages.
 * If the echo of a message arrives after this report, the message does not become `read`.
 */
const settledOnPages: readonly string[] = ["sent", "delivered", "read"];

export interface LostAnswers {
  readonly channels: readonly CustomerChannel[];
  /** The number of answers per channel. */
  readonly count: number;
  /** If true, the process is killed while it waits for the platforms. If false, its connections to them break. */
  readonly dies: boolean;
}

/**
 * The platforms accept agents' answers to customers, but the platforms' responses are lost. Then the platforms send
 * each status three times and in any order. Messages to every third customer get no status and must stay `unknown`; the
 * other messages must be settled. Repeated requests must send nothing.
 */
export async function loseAnswers(
  victim: Victim,
  first: number,
  random: Random,
  { channels, count, dies }: LostAnswers,
): Promise<Outcome> {
  const violations: string[] = [];
  const customers = customersFrom(first, count);
  const mute = customers.filter((_, n) => n % 3 === 2);
  const groups: Group[] = [];
  for (const channel of channels) groups.push(await groupOn(victim, channel, customers));
  const all = count * channels.length;
  const before = await victim.counts();
  const trouble = { paused: true, repeat: 3, shuffled: true, seed: random.between(1, 1_000_000), mute };
  await victim.control("POST", "/webhooks", trouble);
  for (const channel of channels) {
    const fault = dies ? { hang: true } : { reset: true };
    await victim.control("POST", "/faults", { count, path: sending[channel], accept: true, ...fault });
  }
  const answerAll = () =>
    Promise.all(groups.flatMap(({ chats }) => chats.map((chat) => victim.answer(chat, `lost-${chat}`))));
  const answers = answerAll();
  await eventually(async () => (await victim.counts()).accepted === before.accepted + all, settledMs);
  // The QR provider sends echoes even while webhooks are paused, and soon gives up. So the front holds the echoes until
  // the next process runs.
  if (dies) await victim.kill({ holding: true });
  const answered = (await answers).filter((status) => status === 201).length;
  if (answered !== (dies ? 0 : all)) violations.push(`${answered} requests were answered`);
  if (dies) await victim.startAgain();

  const own = async () => (await sent(victim)).filter(({ customer }) => customers.includes(customer));
  const isMute = ({ customer }: Sent) => mute.includes(customer);
  const endsOf = ({ provider }: Sent) => (provider === pageChannel ? settledOnPages : ["read"]);
  await eventually(async () => (await own()).every(({ state }) => state !== "sending"), settledMs);
  await victim.control("POST", "/webhooks", { paused: false });
  await eventually(async () => {
    const settled = (await own()).filter((each) => !isMute(each) && endsOf(each).includes(each.state));
    return settled.length === all - mute.length * channels.length && (await isQuiet(victim));
  }, settledMs).catch(() => {});
  await answerAll();

  const rows = await own();
  const after = await victim.counts();
  await victim.control("POST", "/webhooks", { repeat: 1, shuffled: false, mute: [] });
  const requested = after.requests - before.requests;
  if (requested !== all) violations.push(`${requested} requests to the platforms for ${all} messages`);
  if (rows.length !== all) violations.push(`${rows.length} messages for ${all} answers`);
  for (const each of rows) {
    const message = `the answer to ${each.customer} on ${each.provider} (${each.state})`;
    if (each.attempt !== 1) violations.push(`${message} was tried ${each.attempt} times`);
    if (each.announced !== 1) violations.push(`${message} was announced ${each.announced} times`);
    if (isMute(each) && each.state !== "unknown") violations.push(`${message} has no news and is not unknown`);
    if (!isMute(each) && !endsOf(each).includes(each.state)) violations.push(`${message} is not settled by its news`);
  }
  const unknown = rows.filter(({ state }) => state === "unknown").length;
  return { figures: { answers: all, kills: dies ? 1 : 0, settled: rows.length - unknown, unknown }, violations };
}

interface Stored {
  readonly id: string;
  readonly times: number;
  readonly announced: number;
}

/**
 * Kills the process while customers write. Some webhooks are sent twice. A message must be stored and announced exactly
 * once if its webhook was accepted or if its platform retries long enough.
 */
export async function dieWhileCustomersWriteOn(
  victim: Victim,
  first: number,
  random: Random,
  {
    channels,
    rounds,
    parallel,
  }: { readonly channels: readonly CustomerChannel[]; readonly rounds: number; readonly parallel: number },
): Promise<Outcome> {
  const said = new Map<string, { readonly channel: CustomerChannel; readonly delivered: boolean }>();
  for (let round = 0; round < rounds; round += 1) {
    const sayings = channels.flatMap((channel) =>
      Array.from({ length: parallel }, async (_, n) => {
        const saying = { text: `Hola ${round}-${n}`, repeat: random.between(1, 2) };
        const { id, delivered } = await say(victim, channel, customerOf(first + (n % 7)), saying);
        said.set(id, { channel, delivered });
      }),
    );
    // The kill must hit a random moment.
    await sleep(random.between(20, 250));
    await victim.kill();
    await Promise.all(sayings);
    await victim.startAgain();
  }
  const mustBeThere = [...said]
    .filter(([, { channel, delivered }]) => delivered || !givingUpSoon.includes(channel))
    .map(([id]) => id);
  const stored = async () => (await incoming(victim)).filter(({ id }) => said.has(id));
  const rows = await eventually(async () => {
    const found = await stored();
    const ids = new Set(found.map(({ id }) => id));
    return mustBeThere.every((id) => ids.has(id)) && (await isQuiet(victim)) && found;
  }, settledMs).catch(stored);

  const there = new Set(rows.map(({ id }) => id));
  const violations = rows.flatMap(({ id, times, announced }) => [
    ...(times === 1 ? [] : [`${id} is stored ${times} times`]),
    ...(announced === 1 ? [] : [`${id} was announced ${announced} times`]),
  ]);
  const lost = mustBeThere.filter((id) => !there.has(id));
  if (lost.length > 0) violations.push(`lost: ${lost.map((id) => `${id} (${said.get(id)?.channel})`).join(", ")}`);
  const untaken = [...said.values()].filter(({ delivered }) => !delivered).length;
  return {
    figures: { said: said.size, kills: rounds, "not taken at first": untaken, stored: rows.length },
    violations,
  };
}

/** Platforms that retry for less than two seconds. */
const givingUpSoon: readonly CustomerChannel[] = ["qr", "provider-b"];

const incoming = (victim: Victim): Promise<Stored[]> =>
  victim.rows<Stored>(`
    with announced as (
      select business_id, (payload->'message'->>'id')::bigint as id, count(*)::int as times
      from realtime_events where name = 'message:new' group by 1, 2
    )
    select platform_message_id as id, count(*)::int as times, coalesce(sum(announced.times), 0)::int as announced
    from messages as message left join announced using (business_id, id)
    where direction = 'in' group by platform_message_id`);
