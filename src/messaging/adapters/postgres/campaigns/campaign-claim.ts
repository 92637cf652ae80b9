import { statement } from "../../../../infra/postgres/statement.ts";
import { isDue, recipientMove, sendsNow } from "./campaign-sql.ts";

/**
 * Claims due recipients of the sender, from each campaign at most an equal share of the limit. Skips contacts that have
 * opted out or have no number.
 *
 * The update finds its rows by `ctid`, because with wrong statistics the planner could scan the whole queue. If another
 * transaction has just changed a row, the row's `ctid` is new, and the row is left to the next claim. Rows are updated
 * in key order, so that parallel transactions do not deadlock.
 */
export const claim = statement("campaign_claim")`
  with held as (
    update senders set drained_until = now() + make_interval(secs => $6)
    where business_id = $1 and id = $2 and fence = $3
    returning id
  ),
  waiting as (
    select campaign.id, next.due_at
    from campaigns as campaign join held on held.id = campaign.sender_id
    cross join lateral (
      select recipient.due_at from campaign_recipients as recipient
      where recipient.business_id = $1 and recipient.campaign_id = campaign.id
        and recipient.state ${recipientMove.claim.from}
      order by recipient.due_at limit 1
    ) as next
    where campaign.business_id = $1 and ${sendsNow}
  ),
  active as (
    select id, count(*) over () as campaigns from waiting where due_at <= now()
  ),
  next as (
    select active.id as campaign_id, due.position, due.place, case
             when contact.known_on is not null then 'the contact has no phone number'
             when contact.opted_out_at is not null then 'the contact opted out' end as obstacle
    from active cross join lateral (
      select recipient.ctid as place, recipient.position, recipient.contact_id
      from campaign_recipients as recipient
      where recipient.business_id = $1 and recipient.campaign_id = active.id and ${isDue}
      order by recipient.due_at, recipient.position
      limit ceil($4::float8 / active.campaigns)::int
    ) as due
    left join contacts as contact on contact.business_id = $1 and contact.id = due.contact_id
    order by active.id <= $5, active.id, due.position limit $4
  ),
  chosen as (
    select *, case when obstacle is null then now() + make_interval(secs => $7) end as lease_until,
           case when obstacle is not null then now() end as settled_at
    from next order by campaign_id, position
  ),
  claimed as (
    update campaign_recipients as recipient
    set state = case when chosen.obstacle is not null then ${recipientMove.skip.to} else ${recipientMove.claim.to} end,
        attempt = recipient.attempt + 1,
        lease_until = chosen.lease_until,
        settled_at = chosen.settled_at,
        error_code = null,
        error_reason = chosen.obstacle
    from chosen
    where recipient.ctid = chosen.place and recipient.business_id = $1
      and recipient.campaign_id = chosen.campaign_id and recipient.position = chosen.position
      and recipient.state ${recipientMove.claim.from}
    returning recipient.campaign_id, recipient.position, recipient.contact_id, recipient.phone,
              recipient.parameters, recipient.reference, recipient.attempt, recipient.setbacks, recipient.own_setbacks,
              recipient.held_back, recipient.state
  )
  select claimed.campaign_id as "campaignId", claimed.position, claimed.contact_id as "contactId", claimed.phone,
         to_json(claimed.parameters) as parameters, claimed.reference, claimed.attempt, claimed.setbacks,
         claimed.own_setbacks as "ownSetbacks", claimed.held_back as "isHeldBack", claimed.state,
         (select count(*) from held) > 0 as held,
         (select extract(epoch from min(due_at) - now())::float8 * 1000 from waiting where due_at > now()) as "dueInMs",
         (select count(*) from messages
          where messages.business_id = $1 and direction = 'out' and campaign_id is null and attempt > 0
            and created_at > now() - interval '1 second') as "sentDirectly"
  from (select 1) as always left join claimed on true
  order by claimed.campaign_id <= $5, claimed.campaign_id, claimed.position`;
