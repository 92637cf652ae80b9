import type { NewLine } from "../../application/edits/ports.ts";

/** The six values for `askedLines`. An extra names its line by the line's position, counted from 1. */
export function lineValues(lines: readonly NewLine[]): unknown[] {
  const extras = lines.flatMap((line, index) => line.extras.map((extra) => ({ line: index + 1, ...extra })));
  return [
    lines.map(({ articleId }) => articleId),
    lines.map(({ quantity }) => quantity),
    extras.map(({ line }) => line),
    extras.map(({ id }) => id),
    extras.map(({ custom }) => custom?.price ?? null),
    extras.map(({ custom }) => custom?.picked ?? null),
  ];
}

/**
 * The CTEs `asked_lines` and `asked_extras` of business `$1`: the given lines and extras with their data from the
 * catalog. `line_type` is null if there is no such article or it is archived. `first` is the number of the parameter
 * that has the first of the `lineValues`.
 */
export const askedLines = (first: number): string => `
  asked_lines as materialized (
    select asked.position, asked.article_id, asked.quantity, article.retailer_id, article.line_type
    from unnest($${first}::bigint[], $${first + 1}::integer[]) with ordinality
      as asked (article_id, quantity, position)
    left join lateral (
      select retailer_id,
             case when type in ('free_delivery', 'delivery') then 'delivery_coupon' else 'item' end as line_type
      from articles where business_id = $1 and id = asked.article_id and archived_at is null offset 0) as article on true
  ),
  asked_extras as materialized (
    select asked.position, asked.line, asked.extra_id, asked.price, asked.picked, extra.id is not null as is_known
    from unnest($${first + 2}::integer[], $${first + 3}::bigint[], $${first + 4}::numeric[], $${first + 5}::text[])
      with ordinality as asked (line, extra_id, price, picked, position)
    left join lateral (
      select id from article_extras where business_id = $1 and id = asked.extra_id offset 0) as extra on true
  )`;

export const hasArticles = "not exists (select 1 from asked_lines where line_type is null)";

/**
 * The CTEs that add the lines of `askedLines` to the order in `target(order_id)`, and count them in the statistics. If
 * `target` is empty, nothing is added. `customs.prices` has the custom prices of extras, or null if there are none.
 * `told.lines` has the lines for the history. The ids of the lines are drawn before the insert, because the keys of
 * the custom prices contain these ids.
 */
export const addingLines = `
  lines as materialized (
    select nextval('order_lines_id_seq') as id, placed.*
    from (select target.order_id, asked_lines.* from target, asked_lines order by asked_lines.position) as placed
  ),
  added_lines as (
    insert into order_lines (business_id, id, order_id, article_id, quantity, type, retailer_id)
    select $1, id, order_id, article_id, quantity, line_type, retailer_id from lines
  ),
  extras as (
    select lines.id as line_id, lines.order_id, lines.article_id, asked.*
    from lines join asked_extras as asked on asked.line = lines.position
  ),
  added_extras as (
    insert into line_extras (business_id, line_id, extra_id)
    select $1, line_id, extra_id from extras where is_known order by position
  ),
  counted as (
    insert into commerce_events (business_id, name, order_id, article_id, extra_id)
    select $1, name, order_id, article_id, extra_id
    from (select 'product_picked' as name, order_id, article_id, null as extra_id, position as line, 0 as position
          from lines
          union all select 'extra_picked', order_id, article_id, extra_id, line, position from extras) as picked
    order by line, position
  ),
  customs as (
    select jsonb_object_agg(
             extra_id || ':' || line_id, jsonb_build_object('price', price, 'picked', picked) order by position) as prices
    from extras where is_known and price is not null
  ),
  told as (
    select jsonb_agg(
             jsonb_build_object(
               'id', id, 'articleId', article_id, 'quantity', quantity, 'type', line_type,
               'extras', (
                 select coalesce(jsonb_agg(
                   jsonb_strip_nulls(jsonb_build_object('extraId', extra_id, 'price', price, 'picked', picked))
                   order by position), '[]')
                 from extras where line_id = lines.id and is_known))
             order by position) as lines
    from lines
  )`;
