import { Agent } from "node:http";
import pg from "pg";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded, type Table } from "./table.ts";

/** Of the largest business over the smallest. */
const aim = 1.3;
const requestsEach = 60;

/** Chats of each business, by its id; `CHATS` is the size of the largest. Each chat has ten messages. */
const largest = Number(process.env.CHATS ?? 1_000_000);
const sizes: Readonly<Record<number, number>> = { 1: largest / 100, 2: largest / 10, 3: largest };
const ids = Object.keys(sizes).map(Number);
const [smallest = 1] = ids;
const large = ids.at(-1) ?? smallest;
const messagesEach = 10;
const agents = 20;

const businesses = ids.map((id) => aBusiness(id, { threads: [] }));
const agentOf = (businessId: number): number => businessId * 1_000 + 1;
const departmentOf = (businessId: number): number => businessId * 1_000 + 1;
const tagOf = (businessId: number): number => businessId * 1_000 + 1;

/**
 * A tenth of the chats are open, every twentieth is tagged, a hundredth came from the ad, and each agent has an equal share
 * of nine tenths. What was made here points where it should, so that no trigger looks at millions of rows.
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

const variantsOf = (businessId: number): Readonly<Record<string, string>> => ({
  "first page": "/chats",
  "page of 100": "/chats?limit=100",
  estado: "/chats?estado=proceso",
  "estado, two": "/chats?estado=pendiente&estado=bot",
  soporte: `/chats?soporte=${agentOf(businessId)}`,
  "soporte and estado": `/chats?soporte=${agentOf(businessId)}&estado=proceso`,
  "soporte none": "/chats?soporte=none",
  departamento: `/chats?departamento=${departmentOf(businessId)}`,
  "departamento and estado": `/chats?departamento=${departmentOf(businessId)}&estado=proceso`,
  tag: `/chats?tag=${tagOf(businessId)}`,
  anuncio: "/chats?anuncio=ad-1",
  no_leidos: "/chats?no_leidos=true",
  "no_leidos, nothing": "/chats?no_leidos=false",
  provider: "/chats?provider=qr",
  "q, a number": `/chats?q=${59_170_000_000 + Math.floor((sizes[businessId] ?? 0) / 2)}`,
  counts: "/chats/counts",
  "a chat": `/chats/${Math.floor((sizes[businessId] ?? 0) / 2)}`,
  thread: `/chats/${Math.floor((sizes[businessId] ?? 0) / 2)}/messages`,
});

const bench: Bench = {
  about: `lists, counts and threads of an inbox by the size of the business: ${ids.map((id) => sizes[id]).join(", ")} chats`,
  run: async (arena) => {
    const stage = await arena.stage({ businesses });
    arena.say(`loading ${largest * messagesEach} messages and more`);
    const began = performance.now();
    await load(stage.databaseUrl);
    const seconds = rounded((performance.now() - began) / 1_000);
    const service = await stage.service("dist");
    arena.say(`loaded in ${seconds} s; asking for each page and filter`);
    const times = new Map<string, number>();
    for (const round of [1, 2]) {
      for (const businessId of ids) {
        const headers = { "x-api-key": stage.appKey(businessId) };
        const agentHeaders = { authorization: `Bearer ${await stage.sessionToken(agentOf(businessId))}` };
        const ask = (path: string, by: Headers = headers) => timed(service, path, by, round === 1 ? 5 : requestsEach);
        const variants = Object.entries(variantsOf(businessId));
        for (const [name, path] of variants) times.set(`${businessId} ${name}`, await ask(path));
        for (const [name, path] of variants.filter(([, each]) => !/^\/chats\/\d/.test(each))) {
          times.set(`${businessId} an agent's ${name}`, await ask(path, agentHeaders));
        }
        const deep = await pathOfPage(service, headers, Math.min(100, (sizes[businessId] ?? 0) / 100));
        times.set(`${businessId} page 100`, await ask(deep));
      }
    }
    await service.stop();
    const names = [...times.keys()].filter((key) => key.startsWith(`${large} `)).map((key) => key.slice(2));
    const ratio = (name: string) =>
      rounded((times.get(`${large} ${name}`) ?? 0) / (times.get(`${smallest} ${name}`) ?? Number.NaN), 2);
    const table: Table = {
      title: "The inbox, p50 in ms through HTTP, one request at a time",
      columns: ["", ...ids.map((id) => `of ${sizes[id]}`), "largest of smallest"],
      rows: names.map((name) => [name, ...ids.map((id) => rounded(times.get(`${id} ${name}`) ?? 0, 2)), ratio(name)]),
    };
    return {
      tables: [table],
      figures: { loadSeconds: seconds, p50s: Object.fromEntries(times) },
      failures: [],
      belowAim: names.filter((name) => ratio(name) > aim).map((name) => `${name}: ${ratio(name)} times as long`),
    };
  },
};
export default bench;

type Headers = Readonly<Record<string, string>>;

async function load(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const cases = ids.map((id) => `when ${id} then ${sizes[id]}`).join(" ");
    await client.query(
      `create function chats_of(business bigint) returns bigint immutable language sql as $$ select case business ${cases} end $$`,
    );
    for (const step of steps) await client.query(step);
  } finally {
    await client.end();
  }
}

/** Follows the cursors of pages of 50 to that page. */
async function pathOfPage({ url }: OwnProcess, headers: Headers, page: number): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  let path = "/chats";
  for (let n = 1; n < page; n += 1) {
    const { json } = await request(url + path, { agent, headers });
    path = `/chats?cursor=${json.next}`;
  }
  agent.destroy();
  return path;
}

/** One request after the other on one connection. */
async function timed({ url }: OwnProcess, path: string, headers: Headers, requests: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const began = performance.now();
    const answer = await request(url + path, { agent, headers });
    latencies.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  }
  agent.destroy();
  return quantile(latencies, 0.5);
}
