import { pushedTypes } from "../../domain/push.ts";

const types = pushedTypes.map((type) => `'${type}'`).join(", ");

/**
 * The CTE `waiting`, after one called `logged(business_id, number, payload)` that logs changes of orders: what is to be
 * pushed to the Pusher-protocol host waits for that from the commit on.
 */
export const enqueuingPushes = `
  waiting as (
    insert into push_outbox (business_id, number)
    select business_id, number from logged where payload ->> 'type' in (${types})
  )`;
