import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type {
  AdditionFindings,
  LineAddition,
  LineRemoval,
  OrderEdits,
  OrderUpdate,
  Removal,
  UpdateFindings,
} from "../../application/edits/ports.ts";
import type { ExpectedVersion } from "../../domain/change.ts";
import { differences, writingHistory } from "./change-sql.ts";
import { addingLines, askedLines, hasArticles, lineValues } from "./line-sql.ts";
import { enteredFields, orderColumns } from "./order-sql.ts";

/** Each statement locks the order in the CTE `held`, so that `held` has the order as the last change left it. */

/** The fields that an update can change, by their names in the history. */
const updatable = [...enteredFields, "speedyPrice"] as const;

const columns = Object.fromEntries(updatable.map((name) => [name, orderColumns[name]]));
const columnsOf = (order: string): string => updatable.map((name) => `${order}.${orderColumns[name]}`).join(", ");

const update = statement("order_edit_update")`
  with held as (
    select o.id, o.version, clock_timestamp() as now, ${columnsOf("o")}
    from orders as o where o.business_id = $1 and o.id = $2 for no key update
  ),
  wanted as (
    select held.id, held.now, $3::text as shipment_method,
           case when $10 then $11::timestamptz else held.scheduled_at end as scheduled_at,
           case when $12 then $13::double precision else held.latitude end as latitude,
           case when $14 then $15::double precision else held.longitude end as longitude,
           case when $16 then $17::bigint else held.zone_id end as zone_id,
           $18::integer[] is null or held.version = any ($18) as is_current,
           $5::bigint is null or exists (select 1 from branches where business_id = $1 and id = $5) as has_branch,
           $17::bigint is null or exists (select 1 from zones where business_id = $1 and id = $17) as has_zone
    from held
  ),
  settled as (
    select wanted.*,
           case when $9 and wanted.shipment_method = 'delivery' and zone.id is not null
                then zone.branch_id else $5 end as branch_id
    from wanted left join zones as zone on zone.business_id = $1 and zone.id = wanted.zone_id
    where wanted.is_current and wanted.has_branch and wanted.has_zone
  ),
  changed as (
    update orders as o
    set shipment_method = settled.shipment_method, payment_method = $4, branch_id = settled.branch_id,
        location_label = $6, raw_address = $7, paid = $8, scheduled_at = settled.scheduled_at,
        latitude = settled.latitude, longitude = settled.longitude, zone_id = settled.zone_id,
        -- The price was for the previous delivery.
        speedy_price = case
          when (o.shipment_method, o.branch_id, o.zone_id, o.latitude, o.longitude) is distinct from
               (settled.shipment_method, settled.branch_id, settled.zone_id, settled.latitude, settled.longitude)
          then null else o.speedy_price end,
        version = o.version + 1, updated_at = settled.now
    from settled where o.business_id = $1 and o.id = settled.id
    returning o.id, o.version, o.updated_at, ${columnsOf("o")}
  ),
  ${writingHistory({
    from: "changed join held using (id)",
    action: "'updated'",
    actor: ["$19", "$20"],
    changes: differences(columns),
  })}
  select is_current as "isCurrent", has_branch as "hasBranch", has_zone as "hasZone" from wanted`;

/** Shops write `extra_data`, too. A part that should be an object but is not is replaced by an empty object. */
const objectOrEmpty = (json: string): string => `case when jsonb_typeof(${json}) = 'object' then ${json} else '{}' end`;

const addLine = statement("order_edit_add_line")`
  with held as (
    select o.id, o.extra_data, clock_timestamp() as now, $3::integer[] is null or o.version = any ($3) as is_current
    from orders as o where o.business_id = $1 and o.id = $2 for no key update
  ),
  ${askedLines(6)},
  target as (select id as order_id, now from held where is_current and ${hasArticles}),
  ${addingLines},
  priced as (
    select target.order_id, target.now, case when customs.prices is null then held.extra_data else
             '{"version": 1}' || held.extra_data || jsonb_build_object(
               'customExtras', ${objectOrEmpty("held.extra_data -> 'customExtras'")} || jsonb_build_object(
                 held.id, ${objectOrEmpty("held.extra_data -> 'customExtras' -> held.id::text")} || customs.prices))
             end as extra_data
    from target join held on held.id = target.order_id cross join customs
  ),
  changed as (
    update orders as o
    set extra_data = priced.extra_data, version = o.version + 1, updated_at = priced.now
    from priced where o.business_id = $1 and o.id = priced.order_id
    returning o.id, o.version, o.updated_at
  ),
  ${writingHistory({
    from: "changed, told",
    action: "'line_added'",
    actor: ["$4", "$5"],
    changes: "jsonb_build_object('line', jsonb_build_object('from', null, 'to', told.lines -> 0))",
  })}
  select ${hasArticles} as "hasArticle", held.id is not null as "hasOrder",
         coalesce(held.is_current, false) as "isCurrent"
  from (values (1)) as one left join held on true`;

const removeLine = statement("order_edit_remove_line")`
  with line as (
    select id, order_id, article_id, quantity, type from order_lines where business_id = $1 and id = $2
  ),
  -- The order that was named, and the order of the line. They differ only by mistake.
  held as (
    select o.id, o.version, clock_timestamp() as now from orders as o
    where o.business_id = $1 and o.id = any ((select array_agg(order_id) from line) || $3::bigint)
    order by o.id for no key update
  ),
  named as (
    select not $4 or coalesce(bool_or($5::integer[] is null or version = any ($5)), false) as is_current
    from held where id = $3
  ),
  allowed as (
    select line.* from line, named where named.is_current and exists (select 1 from held where held.id = line.order_id)
  ),
  gone_extras as (
    delete from line_extras using allowed
    where line_extras.business_id = $1 and line_extras.line_id = allowed.id
    returning line_extras.id, line_extras.extra_id
  ),
  gone as (
    delete from order_lines using allowed
    where order_lines.business_id = $1 and order_lines.id = allowed.id
    returning order_lines.id, order_lines.order_id
  ),
  changed as (
    update orders as o
    set extra_data = case
          when jsonb_typeof(o.extra_data -> 'customExtras' -> o.id::text) is distinct from 'object' then o.extra_data
          else jsonb_set(o.extra_data, array['customExtras', o.id::text], (
            select coalesce(jsonb_object_agg(key, value), '{}')
            from jsonb_each(o.extra_data -> 'customExtras' -> o.id::text)
            where split_part(key, ':', 2) <> gone.id::text)) end,
        version = o.version + 1, updated_at = held.now
    from gone join held on held.id = gone.order_id where o.business_id = $1 and o.id = held.id
    returning o.id, o.version, o.updated_at
  ),
  ${writingHistory({
    from: "changed, line",
    action: "'line_removed'",
    actor: ["$6", "$7"],
    changes: `
           jsonb_build_object('line', jsonb_build_object('to', null, 'from', jsonb_build_object(
             'id', line.id, 'articleId', line.article_id, 'quantity', line.quantity, 'type', line.type,
             'extras', (select coalesce(jsonb_agg(jsonb_build_object('extraId', extra_id) order by id), '[]')
                        from gone_extras))))`,
  })}
  select case when gone.id is not null then 'removed'
              when exists (select 1 from line) and not named.is_current then 'moved-on'
              else 'no-line' end as outcome,
         gone.order_id as "ownOrderId"
  from named left join gone on true`;

export const versionsOf = (expected: ExpectedVersion): readonly number[] | null =>
  expected === "any" || expected === null ? null : expected;

export class PostgresOrderEdits implements OrderEdits {
  constructor(private readonly transaction: Queries) {}

  async update(given: OrderUpdate): Promise<UpdateFindings | null> {
    const { scheduledAt, latitude, longitude, zoneId } = given;
    const [found] = await this.transaction.rows<UpdateFindings>(update, [
      given.businessId,
      given.orderId,
      given.shipmentMethod,
      given.paymentMethod,
      given.branchId,
      given.locationLabel,
      given.rawAddress,
      given.paid,
      given.takesBranchOfZone,
      ...orKept(scheduledAt),
      ...orKept(latitude),
      ...orKept(longitude),
      ...orKept(zoneId),
      versionsOf(given.expected),
      given.actor.kind,
      given.actor.id,
    ]);
    return found ?? null;
  }

  async addLine({ businessId, orderId, expected, actor, ...line }: LineAddition) {
    const [found] = await this.transaction.rows<AdditionFindings>(addLine, [
      businessId,
      orderId,
      versionsOf(expected),
      actor.kind,
      actor.id,
      ...lineValues([line]),
    ]);
    if (!found) throw new Error("adding a line returned no row");
    return found;
  }

  async removeLine({ businessId, orderId, lineId, expected, actor }: LineRemoval) {
    const [done] = await this.transaction.rows<Removal>(removeLine, [
      businessId,
      lineId,
      orderId,
      expected !== null,
      versionsOf(expected),
      actor.kind,
      actor.id,
    ]);
    if (!done) throw new Error("removing a line returned no row");
    return done;
  }
}

/** Whether the caller gave a value, and the value. */
const orKept = <Value>(value: Value | undefined): [boolean, Value | null] => [value !== undefined, value ?? null];
