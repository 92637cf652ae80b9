/**
 * The CTEs `counters` and `logged`, for a statement that changes data. They log the rows of its CTE
 * `events(business_id, position, name, payload)`, and `logged` returns these rows with their numbers.
 *
 * The counter's row is locked until the commit, so the events of a business become visible in the order of their
 * numbers. Statements for several businesses lock the counters in the order of the ids, to prevent deadlocks.
 */
export const loggingEvents = `
  counters as (
    insert into realtime_counters as counter (business_id, last_number)
    select business_id, count(*) from events group by business_id order by business_id
    on conflict (business_id) do update set last_number = counter.last_number + excluded.last_number
    returning business_id, last_number
  ),
  logged as (
    insert into realtime_events (business_id, number, name, payload)
    select business_id,
           counters.last_number - count(*) over business
             + row_number() over (partition by business_id order by events.position),
           events.name, events.payload
    from events join counters using (business_id)
    window business as (partition by business_id)
    returning business_id, number, name, payload, at
  )`;

export const eventColumns = `business_id as "businessId", number, name, payload, at`;

/** `loggingEvents`, and the query for the logged events. */
export const loggedEvents = `${loggingEvents}
  select ${eventColumns} from logged order by business_id, number`;
