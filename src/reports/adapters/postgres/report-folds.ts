import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { decimalOf, moneyOf } from "../../../kernel/money.ts";
import type { Counted, Counting, DayOfCurrency, DueBusiness, FoldStore, ReportFolds } from "../../application/ports.ts";
import { convert, largestAmount, type Rate } from "../../domain/currency.ts";
import { beginningOf, countAgents, countDay, countTags, dayAt, dayColumns, outermost } from "./figures-sql.ts";

/** Days that are folded in one statement. */
const mostDays = 14;
/** Records that are converted in one transaction. */
const mostConverted = 500;

/** The columns of `Counting`. */
const countingOf = (business: string): string => `
  ${business}.feature_flags->'timezone' as timezone, ${business}.feature_flags->'currency' as currency,
  ${business}.feature_flags->'currency_conversion' as conversion`;

/**
 * Folds count only rows before the horizon. If a running transaction later adds or changes such a row, a trigger leaves
 * a mark, because the row's time is more than 15 minutes before the transaction began. The horizon adds at least five
 * minutes to these 15, in case clocks were set back or a transaction is not listed yet.
 */
const horizon = statement("report_horizon")`
  select date_bin('15 minutes', least(now(), min(xact_start)) - interval '20 minutes', 'epoch') as horizon
  from pg_stat_activity where datname = current_database()`;

const due = statement("report_due")`
  select business.id as "businessId", ${countingOf("business")}
  from businesses as business
  left join report_progress as progress on progress.business_id = business.id
  where ${livesHere("business.id")} and (case
    when progress.folded_to is not null then progress.folded_to < $1::timestamptz - interval '1 hour'
    else exists (select 1 from registrations where business_id = business.id and at < $1)
      or exists (select 1 from conversations where business_id = business.id and created_at < $1)
  end
  or exists (select 1 from report_marks where business_id = business.id and at < $1)
  or progress.currency <> base_currency(business.feature_flags)
  -- Two comparisons can use the index.
  or exists (select 1 from registrations
             where business_id = business.id and base_currency < base_currency(business.feature_flags))
  or exists (select 1 from registrations
             where business_id = business.id and base_currency > base_currency(business.feature_flags)))
  order by business.id`;

const progressExists = statement("report_progress_exists")`
  insert into report_progress (business_id, timezone, currency, folded_to)
  select $1, $2, $4, coalesce(${outermost("min", "$1")}, $3::timestamptz)
  where not exists (select 1 from report_progress where business_id = $1)
  on conflict (business_id) do nothing`;

/** The lock makes the folds of a business run one at a time. Otherwise an older fold could overwrite newer figures. */
const holdProgress = statement("report_progress_hold")`
  select timezone, currency from report_progress where business_id = $1 for update`;

/** The first days not yet folded up to the horizon. If there are none, the first days that changed after their fold. */
const daysToFold = statement("report_days_to_fold")`
  with unfolded as (
    select day::date as day
    from report_progress as progress,
         generate_series(${dayAt("progress.folded_to", "$2")},
                         ${dayAt("($3::timestamptz - interval '1 microsecond')", "$2")},
                         interval '1 day') as day
    where progress.business_id = $1
      and (progress.folded_to < $3::timestamptz - interval '1 hour')
    order by day limit ${mostDays}
  ),
  changed as (
    select distinct (${dayAt("at", "$2")})::date as day
    from report_marks
    where business_id = $1 and at < $3 and not exists (select 1 from unfolded)
    order by day limit ${mostDays}
  )
  select day::text from unfolded union all select day::text from changed`;

const counts = dayColumns.map((column) => `counted.${column}`).join(", ");

/** One statement, so that counting rows and deleting marks see the same snapshot: a later change keeps its mark. */
const fold = statement("report_fold")`
  with span as materialized (
    select $1::bigint as business_id, $5::text as currency, day, ${beginningOf("day::timestamp", "$2")} as starts_at,
           least(${beginningOf("(day + 1)::timestamp", "$2")}, $4::timestamptz) as ends_at
    from unnest($3::date[]) as day
  ),
  seen as (
    delete from report_marks using span
    where report_marks.business_id = $1 and at >= span.starts_at and at < span.ends_at
  ),
  folded as (
    insert into report_days as folded (business_id, day, timezone, currency, starts_at, ends_at, ${dayColumns.join(", ")},
                                       agents, tags)
    select span.business_id, day, $2, currency, starts_at, ends_at, ${counts},
           coalesce((select array_agg(agent::report_agent_figures order by agent_id)
                     from (select) as one ${countAgents}), '{}'),
           coalesce((select array_agg(tag::report_tag_figures order by tag_id)
                     from (select) as one ${countTags}), '{}')
    from span ${countDay}
    on conflict (business_id, day) do update set
      ${["timezone", "currency", "starts_at", "ends_at", ...dayColumns, "agents", "tags"]
        .map((column) => `${column} = excluded.${column}`)
        .join(", ")}
    returning ends_at
  )
  update report_progress set folded_to = greatest(folded_to, (select max(ends_at) from folded))
  where business_id = $1
  returning folded_to`;

/** Removes all folded days of a business. The next folds count every day from its rows, and delete the day's marks. */
const restart = statement("report_begin_anew")`
  with forgotten as (delete from report_days where business_id = $1),
  progress as (delete from report_progress where business_id = $1)
  select ${countingOf("businesses")} from businesses where id = $1`;

/** Each pair of currency and day among the records with another base currency. Many records have few such pairs. */
const unconverted = statement("report_unconverted")`
  select currency, rate_date::text as day from registrations
  where business_id = $1 and (base_currency < $2::bpchar or base_currency > $2::bpchar)
  group by currency, rate_date`;

const holdUnconverted = statement("report_hold_unconverted")`
  select id, amount, currency, rate_date::text as day from registrations
  where business_id = $1 and base_currency <> $2::bpchar and id > $5
    and (currency, rate_date) in (select * from unnest($3::bpchar[], $4::date[]))
  order by id
  limit ${mostConverted}
  for no key update`;

/** Triggers mark the times of the records, so that their days are folded again. */
const saveConverted = statement("report_save_converted")`
  update registrations as record
  set base_amount = converted.amount, rate = converted.rate, base_currency = $2, updated_at = now()
  from unnest($3::bigint[], $4::numeric[], $5::numeric[]) as converted(id, amount, rate)
  where record.business_id = $1 and record.id = converted.id`;

interface UnconvertedRow extends DayOfCurrency {
  readonly id: number;
  readonly amount: string;
}

export class PostgresReportFolds implements ReportFolds {
  constructor(private readonly cells: Cells) {}

  horizon(businessId: number): Promise<Date> {
    return horizonIn(this.cells.of(businessId));
  }

  due(): Promise<DueBusiness[]> {
    return everywhere(this.cells, async (cell) => {
      const before = await horizonIn(cell);
      const found = await cell.rows<Omit<DueBusiness, "horizon">>(due, [before]);
      return found.map((business) => ({ ...business, horizon: before }));
    });
  }

  unconverted(businessId: number, currency: string): Promise<DayOfCurrency[]> {
    return this.cells.of(businessId).rows(unconverted, [businessId, currency]);
  }
}

async function horizonIn(cell: Queries): Promise<Date> {
  const [row] = await cell.rows<{ horizon: Date }>(horizon, []);
  if (!row) throw new Error("no horizon");
  return row.horizon;
}

export class PostgresFoldStore implements FoldStore {
  constructor(private readonly transaction: Queries) {}

  async foldSome(businessId: number, { timezone, currency }: Counted, before: Date): Promise<boolean> {
    const { transaction } = this;
    await transaction.rows(progressExists, [businessId, timezone, before, currency]);
    const [progress] = await transaction.rows<Counted>(holdProgress, [businessId]);
    if (!progress) return false;
    if (progress.timezone !== timezone || progress.currency !== currency) {
      await transaction.rows(restart, [businessId]);
      await transaction.rows(progressExists, [businessId, timezone, before, currency]);
    }
    const days = await transaction.rows<{ day: string }>(daysToFold, [businessId, timezone, before]);
    if (days.length === 0) return false;
    await transaction.rows(fold, [businessId, timezone, days.map(({ day }) => day), before, currency]);
    return true;
  }

  async convertSome(
    businessId: number,
    currency: string,
    rates: readonly (DayOfCurrency & { readonly rate: Rate })[],
    after: number,
  ): Promise<number | null> {
    const values = [businessId, currency, rates.map((each) => each.currency), rates.map(({ day }) => day), after];
    const found = await this.transaction.rows<UnconvertedRow>(holdUnconverted, values);
    const rateOf = new Map(rates.map((each) => [`${each.currency} ${each.day}`, each.rate]));
    const converted = found.flatMap(({ id, amount, currency, day }) => {
      const rate = rateOf.get(`${currency} ${day}`);
      const baseAmount = rate === undefined ? null : convert(moneyOf(amount), rate);
      // A record whose converted amount is too large for the column keeps its present conversion.
      return baseAmount === null || baseAmount > largestAmount ? [] : [{ id, rate, amount: decimalOf(baseAmount) }];
    });
    await this.transaction.rows(saveConverted, [
      businessId,
      currency,
      converted.map(({ id }) => id),
      converted.map(({ amount }) => amount),
      converted.map(({ rate }) => rate),
    ]);
    return found.at(-1)?.id ?? null;
  }

  async forget(businessId: number): Promise<Counting | null> {
    await this.transaction.rows(holdProgress, [businessId]);
    const [row] = await this.transaction.rows<Counting>(restart, [businessId]);
    return row ?? null;
  }
}
