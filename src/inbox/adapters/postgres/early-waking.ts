/**
 * Seconds for which early news are checked repeatedly, from the moment when they were stored or `waking` marked them. A
 * single check could miss a message that is being stored at the same moment.
 */
export const looked = 60;

const keys = {
  early_statuses: ["business_id", "platform_message_id"],
  early_news: ["business_id", "platform_message_id", "provider", "kind", "customer", "answer"],
} as const;

const wakingOf = (table: keyof typeof keys, messages: string): string => `
  woken_${table} as (
    update ${table} as early set heard_at = asleep.now
    from (
      select ${keys[table].map((column) => `early.${column}`).join(", ")}, clock_timestamp() as now
      from ${messages} as named join ${table} as early
        on early.business_id = named.business_id and early.platform_message_id = named.platform_message_id
      for update of early skip locked
    ) as asleep
    where ${keys[table].map((column) => `early.${column} = asleep.${column}`).join(" and ")}
  )`;

/** CTEs that mark early news for another check. `messages` is a CTE of messages whose platform ids are known now. */
export const waking = (messages: string): string =>
  `${wakingOf("early_statuses", messages)}, ${wakingOf("early_news", messages)}`;

/** Whether early news wait for the message. */
export const hasEarly = (businessId: string, messageId: string): string => `
  (exists (select 1 from early_statuses where business_id = ${businessId} and platform_message_id = ${messageId})
   or exists (select 1 from early_news where business_id = ${businessId} and platform_message_id = ${messageId}))`;
