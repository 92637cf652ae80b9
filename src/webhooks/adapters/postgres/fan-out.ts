import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { endHours, typeOf } from "../../domain/deliveries.ts";
import { asyncCommit } from "./async-commit.ts";

/** The most events that one run reads: for one endpoint, and for all. Claims wait for a run, so a run must be short. */
const numbersAtOnce = 1_000;
const numbersOfAll = 2_000;
/** The states in which `campaign:progress` reports the end of a campaign. */
const ended = quoted("completed", "cancelled");

const types = Object.entries(typeOf)
  .map(([name, type]) => `(${quoted(name)}, ${quoted(type)})`)
  .join(", ");

/**
 * Makes a delivery of each new event in the log for each endpoint that listens to it. The endpoints that are least
 * behind the log come first. If an endpoint already has a delivery of the event, the event is being replayed. The
 * delivery then begins again, unless it is being attempted in the present round.
 *
 * The end of a campaign is delivered only once, although its figures are logged again after the end, as statuses
 * arrive. An endpoint with a delivery about the end gets no other one. Once this delivery is deleted, new figures would
 * look like another end, so figures that are logged `endHours` or more after the end are not delivered at all.
 *
 * If another process has changed an endpoint's place in the log meanwhile, the endpoint is left for the next run,
 * because this statement does not see the deliveries that the other process has made.
 */
export const fanOut = statement("webhook_fan_out")`
  with chosen as materialized (
    select progress.business_id, progress.webhook_id, progress.reached, hook.events, counter.last_number
    from webhook_progress as progress
    join webhooks as hook on hook.business_id = progress.business_id and hook.id = progress.webhook_id
    join realtime_counters as counter on counter.business_id = progress.business_id
    where not hook.disabled and progress.reached < counter.last_number and ${livesHere("progress.business_id")}
    order by counter.last_number - progress.reached, progress.business_id, progress.webhook_id
    limit $1
  ),
  behind as materialized (
    select progress.business_id, progress.webhook_id, progress.reached, progress.round, chosen.events,
           least(chosen.last_number, progress.reached + (
             select least(${numbersAtOnce}, ceil(${numbersOfAll}::numeric / count(*))) from chosen)::integer) as upto
    from webhook_progress as progress join chosen using (business_id, webhook_id)
    where progress.reached = chosen.reached and ${asyncCommit}
    order by progress.business_id, progress.webhook_id
    for no key update of progress
  ),
  heard as (
    select behind.business_id, behind.webhook_id, behind.round, event.number, event.name, told.type, event.payload, event.at,
           coalesce(case told.type
             when 'order.changed' then 'order:' || (event.payload ->> 'id')
             when 'contact.changed' then 'contact:' || (event.payload #>> '{contact,id}')
             when 'campaign.finished'
             then concat_ws(':', 'campaign', event.payload ->> 'campaignId', event.payload ->> 'finishedAt')
             else 'chat:' || (event.payload ->> 'chatId') end, '') as subject
    from behind
    join realtime_events as event
      on event.business_id = behind.business_id and event.number > behind.reached and event.number <= behind.upto
    join (values ${types}) as told (name, type) on told.name = event.name and told.type = any(behind.events)
    where told.type <> 'campaign.finished'
      or event.payload ->> 'state' in (${ended})
         and event.at < (event.payload ->> 'finishedAt')::timestamptz + interval '${endHours} hours'
  ),
  wanted as (
    select * from heard
    where type <> 'campaign.finished'
      or number = (
           select min(same.number) from heard as same
           where same.business_id = heard.business_id and same.webhook_id = heard.webhook_id
             and same.subject = heard.subject)
         and not exists (
           select 1 from webhook_deliveries as told
           where told.business_id = heard.business_id and told.webhook_id = heard.webhook_id
             and told.subject = heard.subject and told.subject like 'campaign:%' and told.number <> heard.number)
  ),
  kept as (
    insert into webhook_events (business_id, number, name, type, payload, at, chat_id, contact_id)
    select distinct on (business_id, number) business_id, number, name, type, payload, at,
           coalesce(payload ->> 'chatId', payload #>> '{chat,id}')::bigint,
           case when type = 'contact.changed' then (payload #>> '{contact,id}')::bigint end
    from wanted order by business_id, number
    on conflict (business_id, number) do update set kept_at = excluded.kept_at
  ),
  given as (
    insert into webhook_deliveries as delivery (business_id, webhook_id, number, subject, round)
    select business_id, webhook_id, number, subject, round from wanted order by business_id, webhook_id, number
    on conflict (business_id, webhook_id, number) do update
    set state = 'waiting', failures = 0, due_at = excluded.due_at, round = excluded.round
    where delivery.claim is null or delivery.round < excluded.round or not exists (
      select 1 from webhook_progress as progress
      where progress.business_id = delivery.business_id and progress.webhook_id = delivery.webhook_id
        and progress.lease = delivery.claim)
  ),
  moved as (
    update webhook_progress as progress set reached = behind.upto
    from behind where progress.business_id = behind.business_id and progress.webhook_id = behind.webhook_id
  )
  select count(*)::integer as endpoints from chosen`;
