import type { Container } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { createBusiness, insertHistory, numberedTables } from "../fixtures/businesses/insert.ts";
import { Passwords } from "../infra/crypto/passwords.ts";
import type { Database, Queries } from "../infra/postgres/database.ts";
import { demoBusinesses, demoPassword } from "./data.ts";
import { storeFiles } from "./files.ts";
import { firstAdministratorOf } from "./people.ts";
import { requestsTo } from "./requests.ts";
import { setUp } from "./set-up.ts";
import { Invitations } from "./set-up-users.ts";

/** The service in which the demo is created, and the stand-in for its messaging platform. */
interface DemoPlace {
  readonly container: Container;
  readonly api: string;
  /** Null if the real platform is used. */
  readonly sandbox: string | null;
}

/** Fills an empty database with the demo. An unfinished demo is continued, and a finished one is left alone. */
export async function makeDemo(
  { container, api, sandbox }: DemoPlace,
  businesses: readonly BusinessFixture[],
  now: Date,
): Promise<boolean> {
  const database = resolve(container, tokens.database);
  const openSession = resolve(container, tokens.openSession);
  return await database.transaction(async (lock) => {
    // Only one process at a time holds this lock, so that two processes do not both find the database empty.
    await lock.rows(statement("select pg_advisory_xact_lock(7265)"), []);
    const state = await stateOf(database);
    if (state === "whole") return false;
    if (state === "other") throw new Error(otherData);
    if (state === "empty") await createBusinesses(database, businesses);
    const numberFrom = async (table: string, id: number) => {
      await lock.rows(statement(`select setval(pg_get_serial_sequence('${table}', 'id'), $1, false)`), [id]);
    };
    await storeFiles(container, businesses[0]?.id ?? 1);
    const { media } = resolve(container, tokens.config);
    const addressOf = (name: string) => `${media.baseUrl}${name}`;
    const platform = sandbox === null ? null : requestsTo(sandbox);
    const invitations = new Invitations(api, demoPassword);
    await keepingOpen(lock, async () => {
      for (const business of businesses) {
        const { token } = await openSession.forUser(firstAdministratorOf(business).id);
        const administrator = requestsTo(api, token);
        await setUp(business, { administrator, platform, numberFrom, addressOf }, invitations);
      }
      await invitations.done();
    });
    await insertPast(database, businesses, now);
    return true;
  });
}

/** Milliseconds between statements that keep a transaction open: the database ends transactions that stay idle. */
const pingMs = 3_000;

async function keepingOpen(transaction: Queries, work: () => Promise<void>): Promise<void> {
  const ping = setInterval(() => void transaction.rows(statement("select"), []).catch(() => {}), pingMs);
  await work().finally(() => clearInterval(ping));
}

/** The content of the database: the demo, an unfinished demo, other data, or nothing. */
async function stateOf(database: Queries): Promise<"whole" | "begun" | "other" | "empty"> {
  const [first] = demoBusinesses(new Date());
  const [row] = await database.rows<{ some: boolean; demo: boolean; orders: boolean }>(
    statement(`select exists (select from businesses) as some, exists (select from orders) as orders,
                      exists (select from businesses where id = $1 and name = $2) as demo`),
    [first?.id, first?.name],
  );
  if (!row?.some) return "empty";
  if (!row.demo) return "other";
  return row.orders ? "whole" : "begun";
}

const otherData = "DATABASE_URL holds other data than the demo; `make start` serves it";

/** Rejects if the database has other data than the demo. The demo must not create keys in such a database. */
export async function requireDemo(database: Queries): Promise<void> {
  if ((await stateOf(database)) === "other") throw new Error(otherData);
}

/** Creates the businesses as an operator does, each with its administrator. */
async function createBusinesses(database: Database, businesses: readonly BusinessFixture[]): Promise<void> {
  const passwordHash = await new Passwords().hash(demoPassword);
  await database.transaction(async (transaction) => {
    for (const business of businesses) {
      // Only an operator can set which businesses share a report. The demo's administrators set all other flags.
      const { group_shared_report } = business.flags as { readonly group_shared_report?: readonly number[] };
      const flags = group_shared_report ? { group_shared_report } : {};
      const ofOperator = { ...business, flags, users: [firstAdministratorOf(business)], templates: [] };
      await createBusiness(transaction, ofOperator, passwordHash);
    }
    await moveSequences(transaction);
  });
}

async function insertPast(database: Database, businesses: readonly BusinessFixture[], now: Date): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const business of businesses) {
      await insertHistory(transaction, business);
      await transaction.rows(branchPlaces, [business.id, JSON.stringify(business.shop?.branches ?? [])]);
      await transaction.rows(driverPlaces, [business.id, JSON.stringify(business.shop?.drivers ?? [])]);
    }
    for (const each of [registrations, tickets, tagEvents]) await transaction.rows(each, [now]);
    await transaction.rows(temperatures, []);
    await moveSequences(transaction);
  });
}

/** The name is empty, so that PostgreSQL does not keep the statement prepared: the demo runs each statement rarely. */
const statement = (text: string) => ({ name: "", text });

const branchPlaces = statement(`
  update branches as branch set latitude = given.latitude, longitude = given.longitude
  from jsonb_to_recordset($2) as given(id bigint, latitude double precision, longitude double precision)
  where branch.business_id = $1 and branch.id = given.id`);

/** The last known locations of drivers, as the tracking integration would report them. */
const driverPlaces = statement(`
  update drivers as driver
  set last_latitude = given.latitude, last_longitude = given.longitude, last_located_at = given."locatedAt"
  from jsonb_to_recordset($2) as
    given(id bigint, latitude double precision, longitude double precision, "locatedAt" timestamptz)
  where driver.business_id = $1 and driver.id = given.id`);

/** Sales and quotations of the last 90 days: up to three for each chat, some in dollars, some from ads. */
const registrations = statement(`
  insert into registrations (business_id, type, chat_id, agent_id, amount, currency, base_amount, rate, rate_date,
                             source, closed, ad_id, at)
  select chat.business_id, type, chat.id, agent.id, amount, currency, round(amount * rate, 2), rate,
         (at at time zone 'America/La_Paz')::date, (array['pdf', 'message', 'message'])[1 + chat.id % 3],
         type = 'sale' and chat.id % 7 > 0, chat.ad_id, at
  from chats as chat
  cross join generate_series(1, 3) as n
  cross join lateral (
    select case when n = 3 then 'sale' else 'quotation' end as type,
           case when (chat.id + n) % 11 = 0 then 'USD' else 'BOB' end as currency,
           case when (chat.id + n) % 11 = 0 then 6.96 else 1 end as rate,
           20 + (chat.id * 37 + n * 101) % 480 + 0.5 * (n % 2) as amount,
           $1::timestamptz - make_interval(days => ((chat.id * 13 + n * 29) % 90)::int,
                                           hours => ((chat.id * 5 + n) % 10)::int, mins => (chat.id % 60)::int) as at
  ) as record
  left join lateral (
    select id from users where users.business_id = chat.business_id and role_id = 5
    order by id offset chat.id % 3 limit 1
  ) as agent on true
  where (chat.id + n) % 4 > 0`);

/** The AI rates four of five conversations. Agents rate every second conversation. */
const temperatures = statement(`
  update conversations
  set ai_temperature = case when id % 5 > 0 then 20 + id * 17 % 75 end,
      agent_temperature = case when id % 2 = 0 then 15 + id * 23 % 80 end`);

/** Tickets of the last 90 days: one for each chat, half of them completed, shared among the agents. */
const tickets = statement(`
  insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state, created_at, closed_at)
  select chat.business_id, chat.id, chat.id, step.id, agent.id, made.state, at,
         case when made.state in ('completed', 'cancelled') then at + interval '2 hours' end
  from chats as chat
  cross join lateral (
    select (array['completed', 'completed', 'completed', 'in_progress', 'pending', 'cancelled'])[1 + chat.id % 6] as state,
           $1::timestamptz - make_interval(days => 1 + (chat.id * 17 % 88)::int, hours => (chat.id % 9)::int) as at
  ) as made
  cross join lateral (
    select id from steps where steps.business_id = chat.business_id order by id limit 1
  ) as step
  cross join lateral (
    select id, row_number() over (order by id) - 1 as place, count(*) over () as agents
    from users where users.business_id = chat.business_id and role_id = 5
  ) as agent
  where agent.place = chat.id % agent.agents`);

/** Assigned tags of the last 90 days, some far more often than others. */
const tagEvents = statement(`
  insert into funnel_events (business_id, type, chat_id, tag_id, at)
  select chat.business_id, 'assigned_tag', chat.id, tag.id,
         $1::timestamptz - make_interval(days => ((chat.id * 11 + tag.place * 7) % 90)::int, hours => (chat.id % 7)::int)
  from chats as chat
  join (
    select business_id, id, row_number() over (partition by business_id order by id) as place from tags
  ) as tag on tag.business_id = chat.business_id
  where chat.id % (tag.place + 1) = 0`);

/** The demo chose its ids itself, so the sequences must continue after them. */
async function moveSequences(transaction: Queries): Promise<void> {
  for (const table of numberedTables) {
    const last = `(select max(id) from ${table})`;
    await transaction.rows(statement(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last})`), []);
  }
}
