import pg from "pg";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { businessFields } from "../../src/reports/adapters/http/report-wire.ts";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import type { Stage } from "./stage.ts";
import { quantile, rounded } from "./table.ts";

const businesses = 20;
const agents = 10;
const days = 365;
const reportedDays = 30;
const rounds = 15;
/** The numbers of records at the two measurements; `REPORT_RECORDS` overrides the larger one. */
const few = 1_000_000;
const many = Number(process.env.REPORT_RECORDS ?? 10_000_000);
const aims = { growth: 1.3, share: 1 / 20 };

const ids = Array.from({ length: businesses }, (_, index) => index + 1);
const group = ids.map((id) =>
  aBusiness(id, {
    flags: { timezone: "America/La_Paz", ...(id === 1 && { group_shared_report: ids }) },
    users: [
      { id: id * 100 + 1, name: "Ada Admin", email: `admin@b${id}.test`, roleId: 1, available: false },
      ...Array.from({ length: agents }, (_, n) => ({
        id: id * 100 + 2 + n,
        name: `Agente ${n}`,
        email: `agent${n}@b${id}.test`,
        roleId: 5,
        available: true,
      })),
    ],
  }),
);

/** §7: the report of 20 businesses over 30 days. The records span a year. */
const bench: Bench = {
  about: "POST /empresas/data-report/multi as records grow, against counting the rows",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: group });
    const client = new pg.Client({ connectionString: stage.databaseUrl });
    await client.connect();
    try {
      const began = performance.now();
      const atFew = await standing(stage, client, 0, few, arena.say);
      const atMany = await standing(stage, client, few, many, arena.say);
      const seconds = (performance.now() - began) / 1_000;
      const growth = rounded(atMany.reportMs / atFew.reportMs, 2);
      const share = rounded(atMany.reportMs / atMany.plainMs, 3);
      const wrong = [atFew, atMany].filter(({ isRight }) => !isRight);
      return {
        tables: [
          {
            title: `Report of ${reportedDays} days of ${businesses} businesses (endpoint 7), median of ${rounds}`,
            columns: ["records over 365 days", "report ms", "rows counted ms", "load s", "rebuild s"],
            rows: [atFew, atMany].map((each) => [
              each.records,
              each.reportMs,
              each.plainMs,
              each.loadSeconds,
              each.rebuildSeconds,
            ]),
          },
        ],
        figures: { atFew, atMany, growth, share, seconds: rounded(seconds) },
        failures: wrong.map(
          ({ records }) => `the main figures of the report of ${records} records differ from its rows`,
        ),
        belowAim: [
          ...(growth <= aims.growth ? [] : [`the report takes ${growth} times as long at ${many} records`]),
          ...(share <= aims.share ? [] : [`the report takes ${share} of counting the rows`]),
        ],
      };
    } finally {
      await client.end();
    }
  },
};
export default bench;

async function standing(stage: Stage, client: pg.Client, from: number, to: number, say: (line: string) => void) {
  say(`loading up to ${to} records`);
  const loadSeconds = await timed(() => load(client, from, to));
  say("folding");
  const rebuildSeconds = await timed(() => rebuild(stage));
  say("reporting");
  const service = await stage.service("dist", { ROLE: "api" });
  const now = new Date();
  const body = {
    businessId: 1,
    startDate: new Date(now.getTime() - (reportedDays - 1) * 86_400_000).toISOString().slice(0, 10),
    endDate: now.toISOString().slice(0, 10),
  };
  const ask = () =>
    request(`${service.url}/empresas/data-report/multi`, {
      method: "POST",
      headers: { "x-api-key": stage.appKey(1) },
      body,
    });
  try {
    const { data } = (await ask()).json;
    const reportMs = await median(ask);
    const plain = async () => {
      const values = [ids, body.startDate, body.endDate];
      for (const statement of besides) await client.query(statement, values);
      return client.query(plainly, values);
    };
    const { rows } = await plain();
    const plainMs = await median(plain, 5);
    const compared = Object.entries(counted) as [Figure, string][];
    const shown = data.map((each: Record<Figure, number>) => compared.map(([figure]) => each[figure]));
    const right = rows.map((row) => compared.map(([, column]) => Number(row[column])));
    return {
      records: to,
      reportMs,
      plainMs,
      loadSeconds,
      rebuildSeconds,
      isRight: JSON.stringify(shown) === JSON.stringify(right),
    };
  } finally {
    await service.stop();
  }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return rounded((performance.now() - began) / 1_000, 1);
};

async function median(work: () => Promise<unknown>, times = rounds): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < times; round += 1) taken.push(await timedMs(work));
  return rounded(quantile(taken, 0.5), 1);
}

const timedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** Inserts rows without triggers. Creates the indexes of `registrations` after its rows, which is faster. */
async function load(client: pg.Client, from: number, to: number): Promise<void> {
  const spread = (share: number) => `generate_series(${Math.floor(from * share) + 1}, ${Math.floor(to * share)}) as n`;
  // Rows are inserted in the order of their times, as in real tables.
  const at = (share: number) =>
    `now() - make_interval(secs => ${days * 86_400} * (${to * share} - n)::float8 / ${(to - from) * share})`;
  await client.query(`
    set session_replication_role = replica;
    set synchronous_commit = off;
    set maintenance_work_mem = '256MB';
    -- Beyond the ids that the businesses came with.
    select setval(pg_get_serial_sequence('conversations', 'id'), greatest(100000, max(id))) from conversations;
    alter table registrations drop constraint registrations_pkey;
    drop index registrations_by_time, registrations_of_ads, registrations_of_chat;
    insert into registrations (business_id, type, chat_id, agent_id, amount, currency, base_amount, rate, rate_date,
                               source, closed, ad_id, at)
    select 1 + n % ${businesses}, case when n % 3 = 0 then 'sale' else 'quotation' end, (1 + n % ${businesses}) * 100 + 1,
           (1 + n % ${businesses}) * 100 + 2 + n / ${businesses} % ${agents}, n % 1000, 'BOB', n % 1000, 1, '2026-01-01',
           (array['pdf', 'message', 'web'])[1 + n / 7 % 3], n % 5 > 0, case when n % 4 = 0 then 'ad ' || n % 50 end, ${at(1)}
    from ${spread(1)};
    alter table registrations add primary key (business_id, id);
    create index registrations_by_time on registrations (business_id, at);
    create index registrations_of_ads on registrations (business_id, at) where ad_id is not null;
    create index registrations_of_chat on registrations (business_id, chat_id);

    insert into conversations (business_id, chat_id, state, created_at, closed_at, ai_temperature)
    select 1 + n % ${businesses}, (1 + n % ${businesses}) * 100 + 1, 'bot', ${at(0.1)}, now(), n % 100 from ${spread(0.1)};
    insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state, created_at, closed_at)
    select 1 + n % ${businesses}, (1 + n % ${businesses}) * 100 + 1, 1, 1,
           (1 + n % ${businesses}) * 100 + 2 + n / ${businesses} % ${agents}, 'completed', ${at(0.05)}, now()
    from ${spread(0.05)};
    insert into tags (business_id, id, name)
    select business, n, 'tag ' || n from generate_series(1, ${businesses}) as business, generate_series(1, 20) as n
    on conflict do nothing;
    insert into funnel_events (business_id, type, chat_id, tag_id, at)
    select 1 + n % ${businesses}, 'assigned_tag', (1 + n % ${businesses}) * 100 + 1, 1 + n / ${businesses} % 20, ${at(0.1)}
    from ${spread(0.1)};
    set session_replication_role = origin`);
  await client.query("vacuum analyze registrations, conversations, tickets, funnel_events");
}

async function rebuild(stage: Stage): Promise<void> {
  const container = createContainer(readConfig({ ...stage.environment, LOG_LEVEL: "silent" }));
  try {
    for (const id of ids) await resolve(container, tokens.foldReports).rebuild(id);
    // In production, autovacuum and the checkpointer would soon do this. Benchmarks turn autovacuum off.
    for (const text of ["vacuum analyze report_days, report_marks, report_progress", "checkpoint"]) {
      await resolve(container, tokens.database).rows({ name: "", text }, []);
    }
  } finally {
    await resolve(container, tokens.database).close();
  }
}

const period = `
  period as (
    select $2::date::timestamp at time zone 'America/La_Paz' as starts_at,
           ($3::date + 1)::timestamp at time zone 'America/La_Paz' as ends_at
  )`;

/** The report's main figures, computed from the rows. */
const plainly = `
  with ${period}
  select business_id, count(*) filter (where type = 'sale' and closed) as sales,
         sum(base_amount) filter (where type = 'sale' and closed) as sales_amount,
         count(*) filter (where type = 'sale' and closed and ad_id is not null) as ad_sales,
         sum(base_amount) filter (where type = 'sale' and closed and ad_id is not null) as ad_sales_amount,
         count(*) filter (where type = 'quotation' and ad_id is not null) as ad_quotations,
         count(*) filter (where type = 'quotation' and ad_id is not null and source = 'pdf') as ad_pdf_quotations,
         count(*) filter (where type = 'quotation' and ad_id is null and source = 'pdf') as organic_pdf_quotations,
         count(*) filter (where type = 'quotation') as quotations,
         sum(base_amount) filter (where type = 'quotation') as quotations_amount
  from registrations, period
  where business_id = any($1) and at >= starts_at and at < ends_at
  group by business_id
  order by business_id`;
/** By figure of the report: the column of `plainly` that must have the same value. */
const counted = {
  salesCount: "sales",
  salesAmount: "sales_amount",
  salesThatChatHasAnuncioIdCount: "ad_sales",
  salesThatChatHasAnuncioId: "ad_sales_amount",
  quotationsThatChatHasAnuncioIdCount: "ad_quotations",
  quotationsThatChatHasAnuncioIdAndSourceIsPdfCount: "ad_pdf_quotations",
  quotationsThatDoesntHaveAnuncioIdAndSourceIsPdfCount: "organic_pdf_quotations",
  quotationsCount: "quotations",
  quotationsAmount: "quotations_amount",
} as const satisfies Partial<Record<keyof typeof businessFields, string>>;
type Figure = keyof typeof counted;

/** Queries that compute the report's other figures from the rows. They are timed, but their results are not checked. */
const besides = [
  `with ${period}
   select business_id, agent_id, count(*) filter (where type = 'sale' and closed) as sales,
          sum(base_amount) filter (where type = 'sale' and closed) as sales_amount,
          count(*) filter (where type = 'quotation') as quotations,
          sum(base_amount) filter (where type = 'quotation') as quotations_amount
   from registrations, period where business_id = any($1) and at >= starts_at and at < ends_at
   group by business_id, agent_id`,
  `with ${period}
   select business_id, agent_id, state, count(*) from tickets, period
   where business_id = any($1) and created_at >= starts_at and created_at < ends_at
   group by business_id, agent_id, state`,
  `with ${period}
   select business_id, count(*), avg(ai_temperature), avg(agent_temperature) from conversations, period
   where business_id = any($1) and created_at >= starts_at and created_at < ends_at
   group by business_id`,
  `with ${period}
   select business_id, tag_id, count(*) from funnel_events, period
   where business_id = any($1) and type = 'assigned_tag' and at >= starts_at and at < ends_at
   group by business_id, tag_id`,
];
