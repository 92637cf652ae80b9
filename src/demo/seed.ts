import { insertBusiness, numberedTables } from "../fixtures/businesses/insert.ts";
import { Passwords } from "../infra/crypto/passwords.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import type { Database, Queries } from "../infra/postgres/database.ts";
import { demoBusinesses, demoPassword } from "./data.ts";

/**
 * Fills an empty database with the demo; does nothing when there is a business already. One transaction: a demo
 * is there whole or not at all.
 */
export async function seedDemo(database: Database, secrets: Secrets, now: Date): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    // One at a time, when several processes find the database empty.
    await transaction.rows(statement("select pg_advisory_xact_lock(7265)"), []);
    const [{ empty } = { empty: false }] = await transaction.rows<{ empty: boolean }>(
      statement("select not exists (select from businesses) as empty"),
      [],
    );
    if (!empty) return false;
    const passwordHash = await new Passwords().hash(demoPassword);
    for (const business of demoBusinesses(now)) await insertBusiness(transaction, business, secrets, passwordHash);
    for (const each of [registrations, tickets, tagEvents]) await transaction.rows(each, [now]);
    await transaction.rows(temperatures, []);
    await moveSequences(transaction);
    return true;
  });
}

/** Runs once, so it has no name. */
const statement = (text: string) => ({ name: "", text });

/** Sales and quotations of the last 90 days: up to three of each chat, some of them in dollars, some from ads. */
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

/** Of four conversations out of five, and what agents say of every other. */
const temperatures = statement(`
  update conversations
  set ai_temperature = case when id % 5 > 0 then 20 + id * 17 % 75 end,
      agent_temperature = case when id % 2 = 0 then 15 + id * 23 % 80 end`);

/** Tickets of the last 90 days: one of each chat, most of them over, shared out among the agents. */
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

/** Tags that were assigned in the last 90 days, some far more often than others. */
const tagEvents = statement(`
  insert into funnel_events (business_id, type, chat_id, tag_id, at)
  select chat.business_id, 'assigned_tag', chat.id, tag.id,
         $1::timestamptz - make_interval(days => ((chat.id * 11 + tag.place * 7) % 90)::int, hours => (chat.id % 7)::int)
  from chats as chat
  join (
    select business_id, id, row_number() over (partition by business_id order by id) as place from tags
  ) as tag on tag.business_id = chat.business_id
  where chat.id % (tag.place + 1) = 0`);

/** The demo chose its ids itself; what is made from now on gets the next ones. */
async function moveSequences(transaction: Queries): Promise<void> {
  for (const table of numberedTables) {
    const last = `(select max(id) from ${table})`;
    await transaction.rows(statement(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last})`), []);
  }
}

/** Whether the database is the demo's, so that keys to it may be handed out. */
export async function isDemo(database: Database): Promise<boolean> {
  const [first] = demoBusinesses(new Date());
  const found = await database.rows(statement("select id from businesses where id = $1 and name = $2"), [
    first?.id,
    first?.name,
  ]);
  return found.length > 0;
}
