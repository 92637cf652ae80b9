import { Passwords } from "../infra/crypto/passwords.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import type { Database, Queries } from "../infra/postgres/database.ts";
import { cloudChannel } from "../kernel/channels.ts";
import { type DemoBusiness, demoBusinesses, demoPassword } from "./data.ts";
import { insertShop, shopTables } from "./seed-shop.ts";

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
    await transaction.rows(registrations, [now]);
    for (const each of [temperatures, tickets, tagEvents])
      await transaction.rows(each, each === temperatures ? [] : [now]);
    await moveSequences(transaction);
    return true;
  });
}

/** The demo's statements run once each: prepared under a name made of their text. */
const statement = (text: string) => ({ name: `demo ${text.replaceAll(/\s+/g, " ").slice(0, 50)}`, text });

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
  select chat.business_id, chat.id, chat.id, step.id, agent.id, state, at,
         case when state in ('completed', 'cancelled') then at + interval '2 hours' end
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

/** Writes one business with all that belongs to it. */
export async function insertBusiness(
  transaction: Queries,
  business: DemoBusiness,
  secrets: Secrets,
  passwordHash: string,
): Promise<void> {
  const { id, users, departments, tags = [], steps, templates, threads, sender, otherSenders = [] } = business;
  const insert = (text: string, rows: readonly object[]) =>
    transaction.rows(statement(text), [id, JSON.stringify(rows)]);

  await transaction.rows(
    statement("insert into businesses (id, name, feature_flags, plan) values ($1, $2, $3, 'pro')"),
    [id, business.name, JSON.stringify(business.flags)],
  );
  await insert(
    `insert into users (business_id, id, name, role_id, available)
     select $1, id, name, "roleId", available
     from jsonb_to_recordset($2) as row(id bigint, name text, "roleId" int, available boolean)`,
    users,
  );
  await insert(
    `insert into credentials (email, business_id, user_id, password_hash)
     select email, $1, id, hash from jsonb_to_recordset($2) as row(email text, id bigint, hash text)`,
    users.map((user) => ({ ...user, hash: passwordHash })),
  );
  await insert(
    `insert into departments (business_id, id, name, opening_hours, out_of_hours_message)
     select $1, id, name, "openingHours", "outOfHoursMessage"
     from jsonb_to_recordset($2)
       as row(id bigint, name text, "openingHours" jsonb, "outOfHoursMessage" text)`,
    departments,
  );
  await insert(
    `insert into department_agents (business_id, department_id, user_id)
     select $1, id, agent from jsonb_to_recordset($2) as row(id bigint, "agentIds" bigint[]), unnest("agentIds") as agent`,
    departments,
  );
  await insert(
    "insert into tags (business_id, id, name) select $1, id, name from jsonb_to_recordset($2) as row(id bigint, name text)",
    tags,
  );
  await insert(
    `insert into steps (business_id, id, name, identifier, type, content, department_id, tags, agent)
     select $1, id, name, identifier, 'ticket', content, "departmentId", tags, agent
     from jsonb_to_recordset($2)
       as row(id bigint, name text, identifier text, content text, "departmentId" bigint, tags text, agent text)`,
    steps,
  );
  await transaction.rows(
    statement(`
      insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
      values ($1, '${cloudChannel}', $2, $3, $4, $5)`),
    [id, sender.phoneNumberId, sender.accountId, sender.phone, secrets.seal(sender.token, id)],
  );
  if (business.ads) {
    await transaction.rows(
      statement("insert into ad_credentials (business_id, sealed_token, default_account_id) values ($1, $2, $3)"),
      [id, secrets.seal(business.ads.token, id), business.ads.defaultAccountId],
    );
  }
  for (const other of otherSenders) {
    await transaction.rows(
      statement(`
        insert into senders (provider, business_id, platform_id, account_id, phone, sealed_token)
        values ($1, $2, $3, $4, $5, $6)`),
      [other.channel, id, other.platformId, other.accountId, other.phone, secrets.seal(other.token, id)],
    );
  }
  await insert(
    `insert into templates (business_id, id, name, platform_name, body, structure, header_type, file_name, provider,
                            provider_b_id, allowed_agents, visible, created_by_ai, deleted_at)
     select $1, id, name, "platformName", body, structure, "headerType", "fileName", provider, "providerBId",
            "allowedAgents", visible, "createdByAi", case when deleted then now() end
     from jsonb_to_recordset($2) as row(
       id bigint, name text, "platformName" text, body text, structure jsonb, "headerType" text, "fileName" text,
       provider text, "providerBId" text, "allowedAgents" text, visible boolean, "createdByAi" boolean,
       deleted boolean)`,
    templates,
  );
  await insert(
    `with row as (
       select * from jsonb_to_recordset($2) as row(
         "contactId" bigint, "chatId" bigint, name text, phone text, channel text, state text, "supportUserId" bigint,
         "adId" text, messages jsonb)
     ),
     contact as (
       insert into contacts (business_id, id, name, phone, platform_id)
       select $1, "contactId", name, phone, phone from row
     ),
     chat as (
       insert into chats (business_id, id, contact_id, provider, bot_available, support_user_id, ad_id,
                          ad_clicked_at, last_message_at, last_inbound_at)
       select $1, "chatId", "contactId", coalesce(channel, '${cloudChannel}'), state = 'bot', "supportUserId", "adId",
              case when "adId" is not null then (messages->0->>'at')::timestamptz end,
              (messages->-1->>'at')::timestamptz,
              (select max((message->>'at')::timestamptz) from jsonb_array_elements(messages) as message
               where message->>'direction' = 'in')
       from row
     ),
     conversation as (
       insert into conversations (business_id, id, chat_id, state, ad_id, created_at, closed_at)
       select $1, "chatId", "chatId", case when state = 'closed' then 'in_progress' else state end, "adId",
              (messages->0->>'at')::timestamptz,
              case when state = 'closed' then (messages->-1->>'at')::timestamptz end
       from row
     )
     insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                           reference, attempt, platform_message_id, occurred_at, created_at)
     select $1, "chatId", "chatId", message.direction, 'text', message.body, message.author, message."authorName",
            message.state, case when message.direction = 'out' then gen_random_uuid() end,
            case when message.direction = 'out' then 1 else 0 end, 'wamid.demo.' || gen_random_uuid(),
            message.at, message.at
     from row, jsonb_to_recordset(row.messages)
       as message(direction text, body text, author text, "authorName" text, state text, at timestamptz)
     order by message.at`,
    threads,
  );
  if (business.shop) await insertShop(insert, business.shop);
}

/** The demo chose its ids itself; what is made from now on gets the next ones. */
async function moveSequences(transaction: Queries): Promise<void> {
  for (const table of [
    "businesses",
    "users",
    "departments",
    "tags",
    "steps",
    "templates",
    "contacts",
    "chats",
    "conversations",
    ...shopTables,
  ]) {
    await transaction.rows(
      statement(
        `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table})) /* ${table} */`,
      ),
      [],
    );
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
