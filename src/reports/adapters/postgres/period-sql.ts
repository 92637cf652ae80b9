import { beginningOf, countDay, dayAt, dayColumns, outermost } from "./figures-sql.ts";

/**
 * Whether a period is short enough to stay whole. A longer period would have too many days, so it is cut to the time in
 * which the business has figures, plus a day at each end.
 */
const wholePeriod = "ends_at - starts_at <= interval '1830 days'";

/**
 * `folded` has the folded days of each period, except days that changed after their fold or were folded for another
 * zone or currency. `span` has all other parts of the period. `offset 0` makes PostgreSQL look up each day by its key.
 * Without `offset 0`, the planner expects far too many days and reads the days of every business.
 */
export const spans = `
  with asked as materialized (
    select business_id, timezone, currency,
           case when ${wholePeriod} then starts_at
                else greatest(starts_at, least(ends_at, ${outermost("min", "asked.business_id")} - interval '1 day')) end
             as starts_at,
           case when ${wholePeriod} then ends_at
                else least(ends_at, greatest(starts_at, ${outermost("max", "asked.business_id")} + interval '1 day')) end
             as ends_at
    from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[])
      as asked(business_id, timezone, starts_at, ends_at, currency)
  ),
  day as materialized (
    select asked.business_id, asked.timezone, asked.currency, asked.starts_at as period_starts_at, asked.ends_at as period_ends_at,
           day::date as day, ${beginningOf("day", "timezone")} as starts_at,
           ${beginningOf("(day + interval '1 day')", "timezone")} as ends_at
    from asked,
         generate_series(${dayAt("starts_at", "timezone")},
                         ${dayAt("(ends_at - interval '1 microsecond')", "timezone")},
                         interval '1 day') as day
  ),
  folded as materialized (
    select folded.*
    from day cross join lateral (
      select * from report_days as kept
      where kept.business_id = day.business_id and kept.day = day.day
        and kept.timezone = day.timezone and kept.currency = day.currency
        -- Compared because the rules of the zone may have changed since.
        and kept.starts_at = day.starts_at and kept.ends_at <= day.ends_at
        and kept.starts_at >= day.period_starts_at and kept.ends_at <= day.period_ends_at
      offset 0
    ) as folded
    where not exists (select 1 from report_marks as mark
                      where mark.business_id = folded.business_id
                        and mark.at >= folded.starts_at and mark.at < folded.ends_at
                      offset 0)
  ),
  span as materialized (
    select * from (
      select day.business_id, day.currency, day.day,
             coalesce(folded.ends_at, greatest(day.starts_at, period_starts_at)) as starts_at,
             least(day.ends_at, period_ends_at) as ends_at
      from day left join folded using (business_id, day)
    ) as rest
    where starts_at < ends_at
  )`;

/** The figures of each day of the periods. A day has two rows if it is partly folded and partly counted. */
export const everyDay = `
  select business_id, day, ${dayColumns.join(", ")} from folded
  union all
  select span.business_id, span.day, ${dayColumns.map((column) => `counted.${column}`).join(", ")}
  from span ${countDay}`;
