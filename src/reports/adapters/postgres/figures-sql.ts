/**
 * The SQL of each figure. Folds and reports share it, so that both count a day alike. The SQL reads
 * `span(business_id, currency, starts_at, ends_at)`. Each row of `span` is a period of one business that ends just
 * before `ends_at`. Sums leave out amounts that are not yet converted to the span's currency.
 */

/**
 * The moment at which a day begins in a zone. `day` is a timestamp at midnight. If clocks show this midnight twice, the
 * day begins at the first one. If clocks skip it, the day begins 24 hours after the previous midnight. A day that
 * clocks skip entirely begins and ends at the same moment.
 */
export const beginningOf = (day: string, zone: string): string => {
  // If clocks show midnight twice, `last` is the second one. Checking `>=` first usually saves a costly `at time zone`.
  const last = `(${day} at time zone ${zone})`;
  const dayLater = `((${day} - interval '1 day') at time zone ${zone} + interval '24 hours')`;
  return `case when ${dayLater} >= ${last} or ${dayLater} at time zone ${zone} <> ${day} then ${last} else ${dayLater} end`;
};

/**
 * The day of a moment, as a timestamp at midnight. Usually this is the date that clocks show. If clocks are put back
 * over midnight, they show the previous date again, but the moment still belongs to the new day.
 */
export const dayAt = (at: string, zone: string): string => {
  const shown = `(${at} at time zone ${zone})::date::timestamp`;
  const next = `(${shown} + interval '1 day')`;
  return `case when ${beginningOf(next, zone)} <= ${at} then ${next} else ${shown} end`;
};

/** The time of the first (`min`) or last (`max`) row counted in reports; null if the business has no such row. */
export const outermost = (which: "min" | "max", businessId: string): string => `
  ${which === "min" ? "least" : "greatest"}(
    (select ${which}(at) from registrations where business_id = ${businessId}),
    (select ${which}(created_at) from conversations where business_id = ${businessId}),
    (select ${which}(created_at) from tickets where business_id = ${businessId}),
    (select ${which}(at) from funnel_events where business_id = ${businessId} and type = 'assigned_tag'))`;

const during = (time: string) =>
  `business_id = span.business_id and ${time} >= span.starts_at and ${time} < span.ends_at`;

const sale = "type = 'sale' and closed";
const quotation = "type = 'quotation'";

/** Each column counts the records that meet its condition. The column `<name>_amount` has the sum of their amounts. */
const tallies: Readonly<Record<string, string>> = {
  ad_sales: `${sale} and ad_id is not null`,
  organic_sales: `${sale} and ad_id is null`,
  ad_quotations: `${quotation} and ad_id is not null`,
  ad_pdf_quotations: `${quotation} and ad_id is not null and source = 'pdf'`,
  ad_message_quotations: `${quotation} and ad_id is not null and source = 'message'`,
  organic_quotations: `${quotation} and ad_id is null`,
  organic_pdf_quotations: `${quotation} and ad_id is null and source = 'pdf'`,
  organic_message_quotations: `${quotation} and ad_id is null and source = 'message'`,
};

const tally = (column: string, condition: string): string => `
  count(*) filter (where ${condition}) as ${column},
  coalesce(sum(base_amount) filter (where ${condition} and base_currency = span.currency), 0) as ${column}_amount`;

/** Columns with counts. All other columns of a day are sums. */
export const countColumns = ["conversations", "ai_temperatures", "agent_temperatures", ...Object.keys(tallies)];
const sumColumns = ["ai_temperature", "agent_temperature", ...Object.keys(tallies).map((name) => `${name}_amount`)];
export const dayColumns = [...countColumns, ...sumColumns];
export const agentCounts = ["sales", "quotations", "completed", "cancelled", "pending", "in_progress"];
export const agentAmounts = ["sales_amount", "quotations_amount"];

/** Joins the figures of each row of `span` as `counted`. */
export const countDay = `
  cross join lateral (
    select * from
      (select ${Object.entries(tallies)
        .map(([column, condition]) => tally(column, condition))
        .join(",")}
       from registrations where ${during("at")}) as sold,
      (select count(*) as conversations,
              coalesce(sum(ai_temperature), 0) as ai_temperature, count(ai_temperature) as ai_temperatures,
              coalesce(sum(agent_temperature), 0) as agent_temperature, count(agent_temperature) as agent_temperatures
       from conversations where ${during("created_at")}) as talked
  ) as counted`;

/** Joins a row of `report_agent_figures` for each agent with figures. */
export const countAgents = `
  cross join lateral (
    select agent_id, sum(sales)::bigint as sales, sum(sales_amount) as sales_amount,
           sum(quotations)::bigint as quotations, sum(quotations_amount) as quotations_amount,
           sum(completed)::bigint as completed, sum(cancelled)::bigint as cancelled,
           sum(pending)::bigint as pending, sum(in_progress)::bigint as in_progress
    from (
      select agent_id, ${tally("sales", sale)}, ${tally("quotations", quotation)},
             0 as completed, 0 as cancelled, 0 as pending, 0 as in_progress
      from registrations where ${during("at")} and agent_id is not null
      group by agent_id
      union all
      select agent_id, 0, 0, 0, 0,
             count(*) filter (where state = 'completed'), count(*) filter (where state = 'cancelled'),
             count(*) filter (where state = 'pending'), count(*) filter (where state = 'in_progress')
      from tickets where ${during("created_at")} and agent_id is not null
      group by agent_id
    ) as part
    group by agent_id
  ) as agent`;

/** Joins a row of `report_tag_figures` for each tag that was assigned. */
export const countTags = `
  cross join lateral (
    select tag_id, count(*) as assigned
    from funnel_events where type = 'assigned_tag' and tag_id is not null and ${during("at")}
    group by tag_id
  ) as tag`;
