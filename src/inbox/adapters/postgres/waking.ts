/** Seconds for which early news are looked at: their message may be written at the same moment. */
export const looked = 60;

const wakingOf = (table: string, messages: string): string => `
  woken_${table} as (
    update ${table} set heard_at = clock_timestamp()
    where ctid = any(array(
      select early.ctid from ${messages} as named join ${table} as early
        on early.business_id = named.business_id and early.platform_message_id = named.platform_message_id
      for update of early skip locked))
  )`;

/** CTEs that have early news looked at again: the messages of a CTE have their platform's ids from now on. */
export const waking = (messages: string): string =>
  `${wakingOf("early_statuses", messages)}, ${wakingOf("early_news", messages)}`;

/** Whether any wait for a message. */
export const hasEarly = (businessId: string, messageId: string): string => `
  (exists (select from early_statuses where business_id = ${businessId} and platform_message_id = ${messageId})
   or exists (select from early_news where business_id = ${businessId} and platform_message_id = ${messageId}))`;
