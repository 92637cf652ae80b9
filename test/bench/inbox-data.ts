import pg from "pg";
import { aBusiness } from "../support/world.ts";

/** The number of chats per business id. Each chat has ten messages. */
export type Sizes = Readonly<Record<number, number>>;

const messagesEach = 10;
const agents = 20;

/** Businesses without chats. `loadInboxes` creates the chats. */
export const inboxBusinesses = (sizes: Sizes) => Object.keys(sizes).map((id) => aBusiness(Number(id), { threads: [] }));
export const agentOf = (businessId: number): number => businessId * 1_000 + 1;
export const departmentOf = (businessId: number): number => businessId * 1_000 + 1;
export const tagOf = (businessId: number): number => businessId * 1_000 + 1;
/** The phone number of the n-th customer. */
export const phoneOf = (n: number): string => String(59_170_000_000 + n);

/**
 * A tenth of the chats are open, a twentieth are tagged, a hundredth came from one ad, and nine tenths are assigned
 * evenly to agents. Triggers are disabled, since they would check references that are valid anyway.
 */
const steps: readonly string[] = [
  "set session_replication_role = replica",
  "set synchronous_commit = off",
  "create temp table spread as select id as business_id, n from businesses cross join lateral generate_series(1, chats_of(id)) as n",
  `insert into users (business_id, id, name, role_id, available)
   select id, id * 1000 + n, 'Agente ' || n, 5, true from businesses, generate_series(1, ${agents}) as n`,
  `insert into departments (business_id, id, name)
   select id, id * 1000 + n, 'Departamento ' || n from businesses, generate_series(1, 5) as n`,
  "insert into department_agents select id, id * 1000 + 1, id * 1000 + 1 from businesses",
  `insert into tags (business_id, id, name) select id, id * 1000 + n, 'Etiqueta ' || n from businesses, generate_series(1, 5) as n`,
  `insert into contacts (business_id, id, name, phone, platform_id)
   select business_id, n, (array['Carla', 'Juan', 'María', 'José', 'Ana', 'Luis', 'Rosa', 'Pedro'])[1 + n % 8] || ' '
            || substr(md5(n::text), 1, 8), (59170000000 + n)::text, (59170000000 + n)::text from spread`,
  `insert into chats (business_id, id, contact_id, provider, support_user_id, department_id, ad_id, last_message_at,
                      last_inbound_at, state, bot_available, unread, read_up_to)
   select business_id, n, n, case when n % 10 = 0 then 'qr' else 'platform-apicloud' end,
          case when n % 10 > 0 then business_id * 1000 + 1 + n / 10 % ${agents} end,
          case when n % 4 = 0 then business_id * 1000 + 1 + n / 4 % 5 end,
          case when n % 100 = 0 then 'ad-1' end, at, at,
          case when n % 10 = 5 then (array['bot', 'pending', 'in_progress'])[1 + n / 10 % 3] else 'closed' end, false,
          case when n % 10 = 5 then 1 + n % 3 else 0 end, 0
   from (select business_id, n, now() - (chats_of(business_id) - n) * interval '300 days' / chats_of(business_id) as at
         from spread) as drawn`,
  `insert into chat_tags (business_id, chat_id, tag_id, last_message_at, queue)
   select business_id, id, business_id * 1000 + 1 + id / 20 % 5, last_message_at,
          coalesce(support_user_id, -department_id, 0) from chats where id % 20 = 0`,
  `insert into conversations (business_id, id, chat_id, state, created_at, closed_at)
   select business_id, n, n, 'in_progress', now() - interval '300 days',
          case when n % 10 <> 5 then now() - interval '1 day' end from spread`,
  "update conversations set state = chat.state from chats as chat where chat.business_id = conversations.business_id and chat.id = conversations.chat_id and closed_at is null",
  `insert into messages (business_id, id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                         reference, occurred_at, created_at)
   select business_id, (n - 1) * ${messagesEach} + part, n, n, case when part % 2 = 0 then 'in' else 'out' end, 'text',
          'Mensaje ' || part || ' de una conversación como tantas', case when part % 2 = 0 then 'contact' else 'user' end,
          'Alguien', case when part % 2 = 0 then 'received' else 'read' end,
          case when part % 2 = 1 then gen_random_uuid() end, now(), now()
   from spread, generate_series(1, ${messagesEach}) as part`,
  "update chats set read_up_to = id * 10 where unread = 0",
  `insert into chat_counts (business_id, agent_id, department_id, state, chats, unread)
   select business_id, coalesce(support_user_id, 0), coalesce(department_id, 0), state, count(*), count(*) filter (where unread > 0)
   from chats group by 1, 2, 3, 4`,
  "set session_replication_role = origin",
  "drop table spread",
  "vacuum (analyze) contacts, chats, chat_tags, conversations, messages, chat_counts, tags, departments, users",
];

/** Creates the chats of each business. */
export async function loadInboxes(databaseUrl: string, sizes: Sizes): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const cases = Object.entries(sizes).map(([id, size]) => `when ${id} then ${size}`);
    await client.query(
      `create function chats_of(business bigint) returns bigint immutable language sql
       as $$ select case business ${cases.join(" ")} end $$`,
    );
    for (const step of steps) await client.query(step);
  } finally {
    await client.end();
  }
}
