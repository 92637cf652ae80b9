import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { senderColumns } from "../sends/senders.ts";
import { campaignMove, isDue, sendsNow } from "./campaign-sql.ts";

/**
 * Senders that never had a worker come first, then the others in the order in which their last workers left. A worker
 * that did not release its sender may have sent until just now, so the sender's next worker waits for a second.
 */
export const lease = statement("sender_lease")`
  with free as (
    select sender.business_id, sender.id, sender.drained_until is not null as was_left from senders as sender
    where (sender.drained_until is null or sender.drained_until < now())
      and (sender.rests_until is null or sender.rests_until < now())
      and ${livesHere("sender.business_id")}
      and exists (
        select 1 from campaigns as campaign
        where campaign.business_id = sender.business_id and campaign.sender_id = sender.id and ${sendsNow}
          and exists (
            select 1 from campaign_recipients as recipient
            where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id and ${isDue}))
    order by coalesce(sender.drained_until, sender.released_at) nulls first, sender.business_id, sender.id limit $2
    for no key update skip locked
  )
  update senders as sender
  set drained_by = $1, drained_until = now() + make_interval(secs => $3), fence = sender.fence + 1
  from free
  where sender.business_id = free.business_id and sender.id = free.id
  returning sender.business_id as "businessId", sender.fence, sender.messages_per_second as "messagesPerSecond",
            case when free.was_left then 1000 else 0 end as "waitMs", ${senderColumns}`;

export const release = statement("sender_release")`
  update senders set drained_by = null, drained_until = null, released_at = now(),
                     rests_until = now() + make_interval(secs => $4 / 1000.0)
  where business_id = $1 and id = $2 and fence = $3 returning id`;

export const renew = statement("sender_renew")`
  update senders set drained_until = now() + make_interval(secs => $4)
  where business_id = $1 and id = $2 and fence = $3 returning id`;

/** Releases a sender whose token no worker can read, and pauses its campaigns that would send now. */
export const giveUp = statement("sender_gives_up")`
  with released as (
    update senders set drained_by = null, drained_until = null, released_at = now()
    where business_id = $1 and id = $2 and fence = $3 returning id
  )
  update campaigns as campaign set state = ${campaignMove.pause.to}, pause_reason = $4
  from released
  where campaign.business_id = $1 and campaign.sender_id = released.id and ${sendsNow}
  returning campaign.id`;
