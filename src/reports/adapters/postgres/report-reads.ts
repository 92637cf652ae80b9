import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { agentRole } from "../../../kernel/ids.ts";
import { type Money, moneyOf } from "../../../kernel/money.ts";
import type { AskedPeriod, CountedDay, CountedFigures, ReportReads, StoredBusiness } from "../../application/ports.ts";
import type { QuotationTally, RegistrationRecord, Tally } from "../../domain/report.ts";
import { agentAmounts, agentCounts, countAgents, countColumns, countTags, dayColumns } from "./figures-sql.ts";
import { everyDay, spans } from "./period-sql.ts";

/** The most tags of one business in a report. */
const mostTags = 100;

const businesses = statement("report_businesses")`
  select id, name, image_url as "imageUrl", feature_flags as flags from businesses where id = any($1)`;

const summed = (columns: readonly string[], counts: readonly string[]): string =>
  columns
    .map((column) => `coalesce(sum(${column}), 0)${counts.includes(column) ? "::bigint" : ""} as ${column}`)
    .join(", ");

const agentColumns = [...agentCounts, ...agentAmounts];
const ofAgent = (alias: string) => agentColumns.map((column) => `${alias}.${column}`).join(", ");

const figures = statement("report_figures")`
  ${spans},
  total as (
    select business_id, ${summed(dayColumns, countColumns)}
    -- An empty period has figures, too.
    from asked left join (${everyDay}) as part using (business_id)
    group by business_id
  ),
  agent_total as (
    select business_id, agent_id, ${summed(agentColumns, agentCounts)}
    from (
      select folded.business_id, agent.agent_id, ${ofAgent("agent")}
      from folded cross join lateral unnest(folded.agents) as agent
      union all
      select span.business_id, agent.agent_id, ${ofAgent("agent")} from span ${countAgents}
    ) as part
    group by business_id, agent_id
  ),
  agents as (
    select users.business_id, json_agg(json_build_object(
             'id', users.id, 'name', users.name,
             ${agentCounts.map((column) => `'${column}', coalesce(${column}, 0)`).join(", ")},
             ${agentAmounts.map((column) => `'${column}', coalesce(${column}, 0)::text`).join(", ")}
           ) order by users.name, users.id) as agents
    from asked
    join users on users.business_id = asked.business_id and users.active and users.role_id = ${agentRole}
    left join agent_total on agent_total.business_id = users.business_id and agent_total.agent_id = users.id
    group by users.business_id
  ),
  tag_total as (
    select business_id, tag_id, sum(assigned)::bigint as assigned
    from (
      select folded.business_id, tag.tag_id, tag.assigned
      from folded cross join lateral unnest(folded.tags) as tag
      union all
      select span.business_id, tag.tag_id, tag.assigned from span ${countTags}
    ) as part
    group by business_id, tag_id
  ),
  tag_list as (
    select business_id, json_agg(json_build_object('name', name, 'count', assigned) order by place) as tags
    from (
      select tags.business_id, name, assigned,
             row_number() over (partition by tags.business_id order by assigned desc, name) as place
      from tag_total join tags on tags.business_id = tag_total.business_id and tags.id = tag_total.tag_id
    ) as ranked
    where place <= ${mostTags}
    group by business_id
  )
  select total.*, coalesce(agents.agents, '[]') as agents, coalesce(tag_list.tags, '[]') as tags
  from total
  left join agents on agents.business_id = total.business_id
  left join tag_list on tag_list.business_id = total.business_id`;

const days = statement("report_daily")`
  ${spans}
  select day.business_id as "businessId", to_char(day.day, 'YYYY-MM-DD') as day,
         coalesce(sum(conversations), 0)::bigint as conversations,
         coalesce(sum(ad_sales + organic_sales), 0)::bigint as sales,
         coalesce(sum(ad_sales_amount + organic_sales_amount), 0) as sales_amount,
         coalesce(sum(ad_quotations + organic_quotations), 0)::bigint as quotations,
         coalesce(sum(ad_quotations_amount + organic_quotations_amount), 0) as quotations_amount
  from day left join (${everyDay}) as part using (business_id, day)
  group by day.business_id, day.day
  order by day.business_id, day.day`;

const adRecords = statement("report_ad_records")`
  select record.business_id as "businessId", record.id, type, chat_id as "chatId", agent_id as "agentId",
         amount, record.currency, source, closed, ad_id as "adId", at,
         case when base_currency = asked.currency then base_amount end as "baseAmount"
  from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[])
    as asked(business_id, timezone, starts_at, ends_at, currency)
  join registrations as record
    on record.business_id = asked.business_id and ad_id is not null and at >= starts_at and at < ends_at
  order by record.business_id, at, record.id
  limit $6`;

type FiguresRow = Readonly<Record<string, number | string>> & {
  readonly business_id: number;
  readonly agents: readonly (Readonly<Record<string, number>> & {
    readonly id: number;
    readonly name: string;
    readonly sales_amount: string;
    readonly quotations_amount: string;
  })[];
  readonly tags: CountedFigures["tags"];
};

type DayRow = Pick<CountedDay, "businessId" | "day" | "conversations"> &
  Readonly<Record<"sales" | "quotations", number> & Record<"sales_amount" | "quotations_amount", string>>;

type AdRecord = RegistrationRecord & { readonly businessId: number };
type AdRecordRow = Omit<AdRecord, "amount" | "baseAmount"> & {
  readonly amount: string;
  readonly baseAmount: string | null;
};

/** Uses the folded figures of days that did not change after their fold. Counts all other time from the rows. */
export class PostgresReportReads implements ReportReads {
  constructor(private readonly cells: Cells) {}

  businesses(ids: readonly number[], signal?: AbortSignal): Promise<StoredBusiness[]> {
    return this.inCells(ids, (cell, own) => cell.rows<StoredBusiness>(businesses, [own], signal));
  }

  async figures(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedFigures[]> {
    const rows = await this.counted<FiguresRow>(figures, asked, signal);
    return rows.map(toFigures);
  }

  async days(asked: readonly AskedPeriod[], signal?: AbortSignal): Promise<CountedDay[]> {
    const rows = await this.counted<DayRow>(days, asked, signal);
    return rows.map(({ sales_amount, quotations_amount, ...row }) => ({
      ...row,
      sales: { count: row.sales, amount: moneyOf(sales_amount) },
      quotations: { count: row.quotations, amount: moneyOf(quotations_amount) },
    }));
  }

  async adRecords(asked: readonly AskedPeriod[], limit: number, signal?: AbortSignal): Promise<AdRecord[]> {
    const rows = await this.counted<AdRecordRow>(adRecords, asked, signal, limit);
    return rows.slice(0, limit).map((row) => ({
      ...row,
      amount: moneyOf(row.amount),
      baseAmount: row.baseAmount === null ? null : moneyOf(row.baseAmount),
    }));
  }

  private counted<Row extends object>(
    statement: Statement,
    asked: readonly AskedPeriod[],
    signal: AbortSignal | undefined,
    ...more: readonly unknown[]
  ): Promise<Row[]> {
    const ids = asked.map(({ businessId }) => businessId);
    return this.inCells(ids, (cell, own) => {
      const values = valuesOf(asked.filter(({ businessId }) => own.includes(businessId)));
      return cell.rows<Row>(statement, [...values, ...more], signal);
    });
  }

  private async inCells<Row>(
    ids: readonly number[],
    ask: (cell: Queries, own: readonly number[]) => Promise<Row[]>,
  ): Promise<Row[]> {
    const found = this.cells.groupsOf(ids).map(({ cell, businessIds }) => ask(cell, businessIds));
    return (await Promise.all(found)).flat();
  }
}

const valuesOf = (asked: readonly AskedPeriod[]) => [
  asked.map(({ businessId }) => businessId),
  asked.map(({ timezone }) => timezone),
  asked.map(({ period }) => period.from),
  asked.map(({ period }) => period.until),
  asked.map(({ currency }) => currency),
];

/** Counts come as numbers, sums as text. */
function toFigures(row: FiguresRow): CountedFigures {
  const amount = (column: string): Money => moneyOf(String(row[column]));
  const tally = (column: string): Tally => ({ count: Number(row[column]), amount: amount(`${column}_amount`) });
  const quotations = (origin: "ad" | "organic"): QuotationTally => ({
    ...tally(`${origin}_quotations`),
    fromPdf: tally(`${origin}_pdf_quotations`),
    fromMessage: tally(`${origin}_message_quotations`),
  });
  return {
    businessId: row.business_id,
    conversations: Number(row.conversations),
    temperatures: {
      ai: { sum: amount("ai_temperature"), count: Number(row.ai_temperatures) },
      agent: { sum: amount("agent_temperature"), count: Number(row.agent_temperatures) },
    },
    sales: { fromAds: tally("ad_sales"), organic: tally("organic_sales") },
    quotations: { fromAds: quotations("ad"), organic: quotations("organic") },
    tags: row.tags,
    agents: row.agents.map(toAgent),
  };
}

function toAgent(agent: FiguresRow["agents"][number]): CountedFigures["agents"][number] {
  const { completed = 0, cancelled = 0, pending = 0, in_progress: inProgress = 0 } = agent;
  return {
    id: agent.id,
    name: agent.name,
    tickets: { total: completed + cancelled + pending + inProgress, completed, cancelled, pending, inProgress },
    sales: { count: agent.sales ?? 0, amount: moneyOf(agent.sales_amount) },
    quotations: { count: agent.quotations ?? 0, amount: moneyOf(agent.quotations_amount) },
  };
}
