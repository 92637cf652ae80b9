import type { Queries } from "../../../infra/postgres/database.ts";
import { agentSees } from "../../../infra/postgres/seen-chats.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type {
  AssignmentFindings,
  BoardEdits,
  CreationFindings,
  DriverAssignment,
  MoveFindings,
  NewOrder,
  OrderMove,
} from "../../application/board/ports.ts";
import type { ShownOrder } from "../../application/reads/ports.ts";
import { openStatuses, statusOf } from "../../domain/states.ts";
import { differences, writingHistory } from "./change-sql.ts";
import { addingLines, askedLines, hasArticles, lineValues } from "./line-sql.ts";
import { versionsOf } from "./order-edits.ts";
import { findShown } from "./order-reads.ts";
import { enteredFields, orderColumns } from "./order-sql.ts";

/** The fields of a new order in its history, besides the user and the lines. */
const loggedFields = ["status", "type", "chatId", ...enteredFields] as const;

const historyFields = [
  ...loggedFields.map((name) => `('${name}', to_jsonb(made.${orderColumns[name]}))`),
  "('userId', to_jsonb(made.user_id))",
].join(", ");

/** The order's id is drawn before the insert, because it is a key in `extra_data` of the order's own row. */
const create = statement("order_board_create")`
  with ${askedLines(19)},
  wanted as materialized (
    select nextval('orders_id_seq') as id,
           $5::bigint is null or exists (
             select 1 from chats as chat
             where chat.business_id = $1 and chat.id = $5 and ${agentSees("$18")}) as has_chat,
           $8::bigint is null or exists (select 1 from branches where business_id = $1 and id = $8) as has_branch,
           $16::bigint is null or zone.id is not null as has_zone,
           ${hasArticles} as has_articles,
           case when $12 and $6::text = 'delivery' and zone.id is not null then zone.branch_id else $8 end as branch_id
    from (values (1)) as one left join zones as zone on zone.business_id = $1 and zone.id = $16
  ),
  target as (
    select id as order_id, branch_id from wanted where has_chat and has_branch and has_zone and has_articles
  ),
  ${addingLines},
  made as (
    insert into orders (
      business_id, id, status, type, chat_id, user_id, shipment_method, payment_method, branch_id, location_label,
      raw_address, paid, scheduled_at, latitude, longitude, zone_id, extra_data)
    select $1, target.order_id, $17, $4, $5, case when $2 = 'user' then $3::bigint end, $6, $7, target.branch_id, $9,
           $10, $11, $13::timestamptz, $14, $15, $16,
           jsonb_build_object('version', 1, 'customExtras', case when customs.prices is null then '{}' else
             jsonb_build_object(target.order_id, customs.prices) end)
    from target, customs
    returning *
  ),
  noted as (
    insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
    select $1, made.id, made.version, 'created', $2, $3, made.created_at,
           (select jsonb_object_agg(name, jsonb_build_object('from', null, 'to', became))
            from (values ${historyFields}) as field (name, became) where became is not null)
             || jsonb_build_object('lines', jsonb_build_object('from', null, 'to', told.lines))
    from made, told
  )
  select id, has_chat as "hasChat", has_branch as "hasBranch", has_zone as "hasZone", has_articles as "hasArticles"
  from wanted`;

const move = statement("order_board_move")`
  with held as (
    select o.id, o.version, o.status, o.cancel_reason, o.shipment_method, clock_timestamp() as now
    from orders as o where o.business_id = $1 and o.id = $2 for no key update
  ),
  asked as (
    select held.id, held.now, $3::integer[] is null or held.version = any ($3) as is_current, step.is_allowed
    from held left join unnest($6::smallint[], $7::boolean[], $8::boolean[]) as step (status, is_pickup, is_allowed)
      on step.status = held.status and step.is_pickup = (held.shipment_method is not distinct from 'pickup')
  ),
  changed as (
    update orders as o
    set status = $9, cancel_reason = $10,
        reopened_at = case when o.status = any ($12::smallint[]) then o.reopened_at else asked.now end,
        version = o.version + 1, updated_at = asked.now
    from asked where o.business_id = $1 and o.id = asked.id and asked.is_current and asked.is_allowed
    returning o.id, o.version, o.updated_at, o.status, o.cancel_reason
  ),
  ${writingHistory({
    from: "changed join held using (id)",
    action: "$11",
    actor: ["$4", "$5"],
    changes: differences({ status: "status", cancelReason: "cancel_reason" }),
  })}
  select is_current as "isCurrent", is_allowed as "isAllowed" from asked`;

const assignDriver = statement("order_board_assign_driver")`
  with held as (
    select o.id, o.version, o.driver_id, clock_timestamp() as now
    from orders as o where o.business_id = $1 and o.id = $2 for no key update
  ),
  asked as (
    select held.id, held.now, $3::integer[] is null or held.version = any ($3) as is_current,
           $6::bigint is null or exists (select 1 from drivers where business_id = $1 and id = $6) as has_driver,
           held.driver_id is not distinct from $6 as is_same
    from held
  ),
  changed as (
    update orders as o set driver_id = $6, version = o.version + 1, updated_at = asked.now
    from asked where o.business_id = $1 and o.id = asked.id and asked.is_current and asked.has_driver
      and not asked.is_same
    returning o.id, o.version, o.updated_at, o.driver_id
  ),
  ${writingHistory({
    from: "changed join held using (id)",
    action: "'driver_changed'",
    actor: ["$4", "$5"],
    changes: differences({ driverId: "driver_id" }),
  })}
  select is_current as "isCurrent", has_driver as "hasDriver", is_same as "isSame" from asked`;

export class PostgresOrderBoard implements BoardEdits {
  constructor(private readonly transaction: Queries) {}

  async create(given: NewOrder): Promise<CreationFindings> {
    const [found] = await this.transaction.rows<CreationFindings>(create, [
      given.businessId,
      given.actor.kind,
      given.actor.id,
      given.type,
      given.chatId,
      given.shipmentMethod,
      given.paymentMethod,
      given.branchId,
      given.locationLabel,
      given.rawAddress,
      given.paid,
      given.takesBranchOfZone,
      given.scheduledAt,
      given.latitude,
      given.longitude,
      given.zoneId,
      statusOf.pending,
      given.seenBy,
      ...lineValues(given.lines),
    ]);
    if (!found) throw new Error("creating an order returned no row");
    return found;
  }

  async move({ businessId, orderId, expected, actor, to, steps, cancelReason }: OrderMove) {
    const [found] = await this.transaction.rows<MoveFindings>(move, [
      businessId,
      orderId,
      versionsOf(expected),
      actor.kind,
      actor.id,
      steps.map(({ status }) => status),
      steps.map(({ isPickup }) => isPickup),
      steps.map(({ isAllowed }) => isAllowed),
      statusOf[to],
      cancelReason,
      // In the history, the bot's cancellations have the action `cancelled`, too.
      to === "cancelled" ? "cancelled" : "status_changed",
      openStatuses,
    ]);
    return found ?? null;
  }

  async assignDriver({ businessId, orderId, expected, actor, driverId }: DriverAssignment) {
    const values = [businessId, orderId, versionsOf(expected), actor.kind, actor.id, driverId];
    const [found] = await this.transaction.rows<AssignmentFindings>(assignDriver, values);
    return found ?? null;
  }

  find(businessId: number, orderId: number): Promise<ShownOrder | null> {
    return findShown(this.transaction, businessId, orderId);
  }
}
