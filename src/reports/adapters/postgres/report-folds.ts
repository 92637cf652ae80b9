import type { Database, Queries, Statement } from "../../../infra/postgres/database.ts";
import type { ReportFolds } from "../../application/ports.ts";
import { beginningOf, countAgents, countDay, countTags, dayColumns } from "./figures-sql.ts";

/** Days that are folded in one statement. */
const mostDays = 14;

/**
 * Whoever writes what is younger than a quarter of an hour leaves no mark. Such a transaction has ended before any
 * time that this names is over, or it is still running and holds the horizon back. Five minutes more are for a clock that
 * was set back, and for a transaction that has begun and is not listed yet.
 */
const horizon: Statement = {
  name: "report_horizon",
  text: `
    select date_bin('15 minutes', least(now(), min(xact_start)) - interval '20 minutes', 'epoch') as horizon
    from pg_stat_activity where datname = current_database()`,
};

const due: Statement = {
  name: "report_due",
  text: `
    select business.id as "businessId", business.feature_flags->>'timezone' as timezone
    from businesses as business
    left join report_progress as progress on progress.business_id = business.id
    where case
      when progress.folded_to is not null then progress.folded_to < $1::timestamptz - interval '1 hour'
      else exists (select from registrations where business_id = business.id and at < $1)
        or exists (select from conversations where business_id = business.id and created_at < $1)
    end
    or exists (select from report_marks where business_id = business.id and at < $1)
    order by business.id`,
};

const progressExists: Statement = {
  name: "report_progress_exists",
  text: `
    insert into report_progress (business_id, timezone, folded_to)
    select $1, $2, coalesce(least(
      (select min(at) from registrations where business_id = $1),
      (select min(created_at) from conversations where business_id = $1),
      (select min(created_at) from tickets where business_id = $1),
      (select min(at) from funnel_events where business_id = $1 and type = 'assigned_tag')), $3::timestamptz)
    where not exists (select from report_progress where business_id = $1)
    on conflict (business_id) do nothing
    returning business_id`,
};

/** One fold of a business at a time: the later of two would else be overwritten by what the earlier one saw. */
const holdProgress: Statement = {
  name: "report_progress_hold",
  text: "select timezone from report_progress where business_id = $1 for update",
};

/** First what was never folded, then what changed since. */
const daysToFold: Statement = {
  name: "report_days_to_fold",
  text: `
    with unfolded as (
      select day::date as day
      from report_progress as progress,
           generate_series((progress.folded_to at time zone $2)::date::timestamp,
                           (($3::timestamptz - interval '1 microsecond') at time zone $2)::date::timestamp,
                           interval '1 day') as day
      where progress.business_id = $1
        and (progress.folded_to < $3::timestamptz - interval '1 hour')
      order by day limit ${mostDays}
    ),
    changed as (
      select distinct (at at time zone $2)::date as day
      from report_marks
      where business_id = $1 and at < $3 and not exists (select from unfolded)
      order by day limit ${mostDays}
    )
    select day::text from unfolded union all select day::text from changed`,
};

const counts = dayColumns.map((column) => `counted.${column}`).join(", ");

/** One statement, one moment: the marks that it deletes are those whose changes it counts. */
const fold: Statement = {
  name: "report_fold",
  text: `
    with span as materialized (
      select $1::bigint as business_id, day, ${beginningOf("day::timestamp", "$2")} as starts_at,
             least(${beginningOf("(day + 1)::timestamp", "$2")}, $4::timestamptz) as ends_at
      from unnest($3::date[]) as day
    ),
    seen as (
      delete from report_marks using span
      where report_marks.business_id = $1 and at >= span.starts_at and at < span.ends_at
    ),
    folded as (
      insert into report_days as folded (business_id, day, timezone, starts_at, ends_at, ${dayColumns.join(", ")},
                                         agents, tags)
      select span.business_id, day, $2, starts_at, ends_at, ${counts},
             coalesce((select array_agg(agent::report_agent_figures order by agent_id)
                       from (select) as one ${countAgents}), '{}'),
             coalesce((select array_agg(tag::report_tag_figures order by tag_id)
                       from (select) as one ${countTags}), '{}')
      from span ${countDay}
      on conflict (business_id, day) do update set
        ${["timezone", "starts_at", "ends_at", ...dayColumns, "agents", "tags"]
          .map((column) => `${column} = excluded.${column}`)
          .join(", ")}
      returning ends_at
    )
    update report_progress set folded_to = greatest(folded_to, (select max(ends_at) from folded))
    where business_id = $1
    returning folded_to`,
};

/** Figures of days in another zone; the day of a mark is found in the rows again. */
const beginAnew: Statement = {
  name: "report_begin_anew",
  text: `
    with forgotten as (delete from report_days where business_id = $1),
    progress as (delete from report_progress where business_id = $1)
    select feature_flags->>'timezone' as timezone from businesses where id = $1`,
};

export class PostgresReportFolds implements ReportFolds {
  constructor(private readonly database: Pick<Database, "rows" | "transaction">) {}

  async horizon(): Promise<Date> {
    const [row] = await this.database.rows<{ horizon: Date }>(horizon, []);
    if (!row) throw new Error("no horizon");
    return row.horizon;
  }

  due(before: Date): Promise<{ businessId: number; timezone: unknown }[]> {
    return this.database.rows(due, [before]);
  }

  foldSome(businessId: number, timezone: string, before: Date): Promise<boolean> {
    return this.database.transaction((transaction) => foldSome(transaction, businessId, timezone, before));
  }

  async forget(businessId: number): Promise<{ timezone: unknown } | null> {
    const [row] = await this.database.transaction(async (transaction) => {
      await transaction.rows(holdProgress, [businessId]);
      return transaction.rows<{ timezone: unknown }>(beginAnew, [businessId]);
    });
    return row ?? null;
  }
}

async function foldSome(queries: Queries, businessId: number, timezone: string, before: Date): Promise<boolean> {
  await queries.rows(progressExists, [businessId, timezone, before]);
  const [progress] = await queries.rows<{ timezone: string }>(holdProgress, [businessId]);
  if (!progress) return false;
  if (progress.timezone !== timezone) {
    await queries.rows(beginAnew, [businessId]);
    await queries.rows(progressExists, [businessId, timezone, before]);
  }
  const days = await queries.rows<{ day: string }>(daysToFold, [businessId, timezone, before]);
  if (days.length === 0) return false;
  await queries.rows(fold, [businessId, timezone, days.map(({ day }) => day), before]);
  return true;
}
