import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import type { BareHandler } from "./bare.ts";
import type { Bench } from "./bench.ts";
import { belowAim, type ContestResult, contest, contestTable } from "./contest.ts";
import type { Shot } from "./load.ts";
import type { OwnProcess } from "./processes.ts";

const businesses = 16;
/** Per business. Each order has three lines with two extras each. */
const orders = 1_000;
const aim = 0.7;
const all = Array.from({ length: businesses }, (_, n) => aBusiness(n + 1));

/** The end of an update's answer. Only its digits differ between orders. */
const tailOf = (text: string): string => text.slice(text.indexOf(',"paid":'));
const addedText = JSON.stringify({ message: "Producto añadido a la orden" });

const updateBody = (businessId: number, orderId: number, street: number): object => ({
  orderId,
  shipmentMethod: "delivery",
  paymentMethod: street % 2 === 0 ? "cash" : "qr",
  sucursalId: businessId * 100 + 1,
  location_picked: "Casa",
  raw_adress: `Av. 6 de Agosto ${street}`,
  paid: true,
  scheduleAt: "2026-05-04T18:30:00-04:00",
  lat: -16.5,
  lng: -68.13,
  zoneId: businessId * 100 + 1,
});

const addBody = (businessId: number, orderId: number): object => ({
  orderId,
  articleId: businessId * 100 + 1,
  quantity: 2,
  extras: [
    { id: businessId * 100 + 1 },
    { id: businessId * 100 + 2, customPrice: 2.5, picked: "Doble" },
    { id: businessId * 100 + 3 },
  ],
});

/** §9 Update an order, §10 Add a product. Many businesses are used, since edits in one business wait for each other. */
const bench: Bench = {
  about: "PUT /catalogs/order/update and POST /catalogs/orders/products/new against hand-written SQL",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: all });
    const client = new pg.Client({ connectionString: stage.databaseUrl });
    // After a failed benchmark, the database is dropped while this client is connected. The client then emits an error.
    client.on("error", () => {});
    await client.connect();
    await openShops(client);
    const { service, bare, stop } = await stage.contestants("orders-edit");
    let shots = 0;
    const next = (shot: (businessId: number, orderId: number) => Shot) => (): Shot => {
      shots += 1;
      return shot(1 + (shots % businesses), 1 + (Math.floor(shots / businesses) % orders));
    };
    const to = (businessId: number) => ({ headers: { "x-api-key": stage.appKey(businessId) } });
    const update = (businessId: number, orderId: number, street = shots): Shot => ({
      method: "PUT",
      path: "/catalogs/order/update",
      ...to(businessId),
      body: JSON.stringify({ ...updateBody(businessId, orderId, street), empresa_id: businessId }),
    });
    const add = (businessId: number, orderId: number): Shot => ({
      path: "/catalogs/orders/products/new",
      ...to(businessId),
      body: JSON.stringify({ ...addBody(businessId, orderId), empresa_id: businessId }),
    });

    const failures: string[] = [];
    let tail = "";
    for (const [name, shot] of Object.entries({ update: update(1, orders + 1, 7), add: add(1, orders + 1) })) {
      const ours = await answerOf(service, shot);
      const left = await leftOf(client, orders + 1);
      const theirs = await answerOf(bare, { ...shot, body: shot.body.replace(`:${orders + 1}`, `:${orders + 2}`) });
      if (ours.replaceAll(`${orders + 1}`, `${orders + 2}`) !== theirs) failures.push(`${name}: ${ours} and ${theirs}`);
      const leftByBare = await leftOf(client, orders + 2);
      if (!isDeepStrictEqual(left, leftByBare)) {
        failures.push(`${name}: left ${JSON.stringify(left)} and ${JSON.stringify(leftByBare)}`);
      }
      if (name === "update") tail = tailOf(ours);
    }

    const variants = {
      "update an order (endpoint 9)": {
        next: next(update),
        isRight: (status: number, text: string) =>
          status === 200 && tailOf(text).replaceAll(/\d+/g, "") === tail.replaceAll(/\d+/g, ""),
      },
      "add a product with three extras (endpoint 10)": {
        next: next(add),
        isRight: (status: number, text: string) => status === 200 && text === addedText,
      },
    };
    const results: Record<string, ContestResult> = {};
    for (const [name, variant] of Object.entries(variants)) {
      arena.say(name);
      results[name] = await contest({ name, service, bare, ...variant });
    }
    const written = await client.query("select count(*)::int as changes from order_changes where order_id <= $1", [
      orders,
    ]);
    await client.end();
    await stop();

    const entries = Object.entries(results);
    const answered = entries.reduce((sum, [, result]) => sum + result.answered, 0);
    const { changes } = written.rows[0];
    return {
      tables: [contestTable("Edit orders, 16 connections", results)],
      figures: { ...results, answered, changes },
      failures: [
        ...failures,
        ...entries.flatMap(([, result]) => result.failures),
        ...(changes === answered ? [] : [`${answered} answered 200, ${changes} changes in the histories`]),
      ],
      belowAim: entries.flatMap(([name, result]) => belowAim(name, result, aim)),
    };
  },
};
export default bench;

async function answerOf({ url }: OwnProcess, { method = "POST", path, headers, body }: Shot): Promise<string> {
  return (await request(url + path, { method, headers, rawBody: body })).text;
}

/** The rows that an edit wrote, without values that differ each time. */
async function leftOf(client: pg.Client, orderId: number): Promise<object> {
  const one = async (sql: string) => JSON.stringify((await client.query(sql, [orderId])).rows);
  const left = {
    event: await one(
      `select name, payload - 'updatedAt' - 'createdAt' as payload from realtime_events
       where business_id = 1 and payload ->> 'id' = $1::text order by number`,
    ),
    changes: await one(
      "select version, action, changes from order_changes where business_id = 1 and order_id = $1 order by id",
    ),
    statistics: await one(
      "select name, article_id, extra_id from commerce_events where business_id = 1 and order_id = $1 order by id",
    ),
    order: await one(
      `select to_jsonb(orders) - 'updated_at' - 'created_at' as held from orders where business_id = 1 and id = $1`,
    ),
  };
  /** Matches ids of orders, lines and extras. The service's order and the bare handler's order have different ids. */
  const ids = new RegExp(String.raw`("id":|:)(\d{6,})|\b${orderId}\b`, "g");
  return Object.fromEntries(Object.entries(left).map(([name, text]) => [name, text.replaceAll(ids, "$1#")]));
}

/** Creates orders 1 to `orders` of each business for the edits, and two more for comparison. */
async function openShops(client: pg.Client): Promise<void> {
  const rows = async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query(sql, [...values])).rows as Row[];
  for (const { id } of all) await openShop({ rows }, id);
  await rows(
    `insert into orders (business_id, id, type, shipment_method, payment_method, branch_id, zone_id, chat_id)
     select business, n, 'wa', 'delivery', 'cash', business * 100 + 1, business * 100 + 2, business * 100 + 1
     from generate_series(1, ${businesses}) as business, generate_series(1, ${orders + 2}) as n`,
  );
  await rows("select setval(pg_get_serial_sequence('order_lines', 'id'), 1000000)");
  await rows("select setval(pg_get_serial_sequence('line_extras', 'id'), 1000000)");
  await rows(
    `insert into order_lines (business_id, order_id, article_id, quantity, type, retailer_id)
     select business_id, id, business_id * 100 + line, line, 'item', 'SKU'
     from orders, generate_series(1, 3) as line order by business_id, id, line`,
  );
  await rows(
    `insert into line_extras (business_id, line_id, extra_id)
     select business_id, id, business_id * 100 + extra from order_lines, generate_series(1, 2) as extra order by id, extra`,
  );
  await rows("analyze");
}

/** One statement writes the order and its history. */
const writeUpdate = {
  name: "bare_update",
  text: `
    with held as (select * from orders where business_id = $1 and id = $2 for no key update),
    changed as (
      update orders as o
      set shipment_method = $3, payment_method = $4, branch_id = $5, location_label = $6, raw_address = $7, paid = $8,
          scheduled_at = $9, latitude = $10, longitude = $11, zone_id = $12,
          speedy_price = case when (o.shipment_method, o.branch_id, o.latitude, o.longitude, o.zone_id)
                                   is distinct from ($3, $5, $10, $11, $12) then null else o.speedy_price end,
          version = o.version + 1, updated_at = clock_timestamp()
      from held where o.business_id = $1 and o.id = held.id
      returning o.*
    )
    insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
    select $1, changed.id, changed.version, 'updated', 'key', 1, changed.updated_at, (
      select coalesce(jsonb_object_agg(name, jsonb_build_object('from', was, 'to', became)), '{}')
      from (values
        ('shipmentMethod', to_jsonb(held.shipment_method), to_jsonb(changed.shipment_method)),
        ('paymentMethod', to_jsonb(held.payment_method), to_jsonb(changed.payment_method)),
        ('branchId', to_jsonb(held.branch_id), to_jsonb(changed.branch_id)),
        ('locationLabel', to_jsonb(held.location_label), to_jsonb(changed.location_label)),
        ('rawAddress', to_jsonb(held.raw_address), to_jsonb(changed.raw_address)),
        ('paid', to_jsonb(held.paid), to_jsonb(changed.paid)),
        ('scheduledAt', to_jsonb(held.scheduled_at), to_jsonb(changed.scheduled_at)),
        ('latitude', to_jsonb(held.latitude), to_jsonb(changed.latitude)),
        ('longitude', to_jsonb(held.longitude), to_jsonb(changed.longitude)),
        ('zoneId', to_jsonb(held.zone_id), to_jsonb(changed.zone_id)),
        ('speedyPrice', to_jsonb(held.speedy_price), to_jsonb(changed.speedy_price))
      ) as field (name, was, became) where was is distinct from became)
    from changed, held`,
};

/** One statement writes the line, its extras, their prices, the statistics and the history. */
const writeAddition = {
  name: "bare_addition",
  text: `
    with held as (select id from orders where business_id = $1 and id = $2 for no key update),
    line as (
      insert into order_lines (business_id, order_id, article_id, quantity, type, retailer_id)
      select $1, held.id, article.id, $4,
             case when article.type in ('free_delivery', 'delivery') then 'delivery_coupon' else 'item' end,
             article.retailer_id
      from held, articles as article where article.business_id = $1 and article.id = $3
      returning id, type
    ),
    asked as (
      select extra.id, price, picked, position
      from unnest($5::bigint[], $6::numeric[], $7::text[]) with ordinality as given (id, price, picked, position)
      join article_extras as extra on extra.business_id = $1 and extra.id = given.id
    ),
    extras as (
      insert into line_extras (business_id, line_id, extra_id)
      select $1, line.id, asked.id from line, asked order by position
    ),
    counted as (
      insert into commerce_events (business_id, name, order_id, article_id, extra_id)
      (select $1, 'product_picked', $2, $3, null)
      union all
      (select $1, 'extra_picked', $2, $3, asked.id from asked order by position)
    ),
    changed as (
      update orders as o
      set version = o.version + 1, updated_at = clock_timestamp(),
          extra_data = jsonb_set(
            jsonb_set(o.extra_data, array['customExtras', $2::text],
                      coalesce(o.extra_data #> array['customExtras', $2::text], '{}')),
            array['customExtras', $2::text],
            coalesce(o.extra_data #> array['customExtras', $2::text], '{}') || (
              select jsonb_object_agg(asked.id || ':' || line.id, jsonb_build_object('price', price, 'picked', picked))
              from line, asked where price is not null))
      from held where o.business_id = $1 and o.id = held.id
      returning o.version, o.updated_at
    )
    insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
    select $1, $2, changed.version, 'line_added', 'key', 1, changed.updated_at,
           jsonb_build_object('line', jsonb_build_object('from', null, 'to', jsonb_build_object(
             'id', line.id, 'articleId', $3::bigint, 'quantity', $4::integer, 'type', line.type, 'extras', (
               select jsonb_agg(jsonb_strip_nulls(
                 jsonb_build_object('extraId', asked.id, 'price', price, 'picked', picked)) order by position)
               from asked))))
    from changed, line`,
};

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** One statement reads the order's card with its sums, logs it as an event and returns the fields of endpoint 9. */
const logCard = {
  name: "bare_card",
  text: `
    with card as (
      select o.*, jsonb_build_object(
        'businessId', o.business_id, 'id', o.id, 'version', o.version, 'status', o.status, 'type', o.type,
        'shipmentMethod', o.shipment_method, 'paymentMethod', o.payment_method, 'paid', o.paid,
        'cancelReason', o.cancel_reason, 'locationLabel', o.location_label, 'rawAddress', o.raw_address,
        'scheduledAt', ${iso("o.scheduled_at")}, 'latitude', o.latitude, 'longitude', o.longitude,
        'createdAt', ${iso("o.created_at")}, 'updatedAt', ${iso("o.updated_at")},
        'total', trim_scale(greatest(
          lines.amount - discount.amount + case
            when o.shipment_method = 'pickup' or lines.delivers or zone.id is null then 0
            when o.shipment_method = 'delivery' then coalesce(o.speedy_price, zone.price)
            else zone.price end, 0)),
        'discount', trim_scale(discount.amount), 'speedyPrice', trim_scale(o.speedy_price),
        'branch', case when branch.id is not null then jsonb_build_object('id', branch.id, 'name', branch.name) end,
        'zone', case when zone.id is not null then jsonb_build_object(
          'id', zone.id, 'price', zone.price::text,
          'branch', case when of_zone.id is not null then
                      jsonb_build_object('id', of_zone.id, 'name', of_zone.name) end) end,
        'chat', case when chat.id is not null then jsonb_build_object(
          'id', chat.id, 'supportUserId', chat.support_user_id, 'lastMessageAt', ${iso("chat.last_message_at")},
          'contact', jsonb_build_object('id', contact.id, 'name', contact.name, 'phone', contact.phone,
                                        'platformId', contact.platform_id)) end,
        'lines', coalesce(lines.shown, '[]')) as payload,
        branch.name as branch_name, zone.price as zone_price, of_zone.id as zone_branch_id,
        of_zone.name as zone_branch_name
      from orders as o
      left join branches as branch on branch.business_id = $1 and branch.id = o.branch_id
      left join zones as zone on zone.business_id = $1 and zone.id = o.zone_id
      left join branches as of_zone on of_zone.business_id = $1 and of_zone.id = zone.branch_id
      left join chats as chat on chat.business_id = $1 and chat.id = o.chat_id
      left join contacts as contact on contact.business_id = $1 and contact.id = chat.contact_id
      cross join lateral (
        select coalesce(sum(amount), 0) as amount from order_discounts where business_id = $1 and order_id = o.id
      ) as discount
      cross join lateral (
        select coalesce(sum(line.quantity * (article.price + coalesce(extras.amount, 0))), 0) as amount,
               bool_or(line.type = 'delivery_coupon') as delivers,
               jsonb_agg(jsonb_build_object(
                 'id', line.id, 'quantity', line.quantity, 'type', line.type, 'retailerId', line.retailer_id,
                 'article', jsonb_build_object('id', article.id, 'name', article.name, 'price', article.price::text),
                 'extras', coalesce(extras.shown, '[]')) order by line.id) as shown
        from order_lines as line
        join articles as article on article.business_id = $1 and article.id = line.article_id
        cross join lateral (
          select sum(coalesce(
                   (o.extra_data -> 'customExtras' -> o.id::text -> (extra.id || ':' || line.id) ->> 'price')::numeric,
                   extra.charge)) as amount,
                 jsonb_agg(jsonb_build_object('id', taken.id, 'extra', jsonb_build_object(
                   'id', extra.id, 'name', extra.name, 'charge', extra.charge::text)) order by taken.id) as shown
          from line_extras as taken
          join article_extras as extra on extra.business_id = $1 and extra.id = taken.extra_id
          where taken.business_id = $1 and taken.line_id = line.id
        ) as extras
        where line.business_id = $1 and line.order_id = o.id
      ) as lines
      where o.business_id = $1 and o.id = $2
    ),
    counter as (
      insert into realtime_counters as counter (business_id, last_number) select business_id, 1 from card
      on conflict (business_id) do update set last_number = counter.last_number + 1
      returning last_number
    ),
    logged as (
      insert into realtime_events (business_id, number, name, payload)
      select card.business_id, counter.last_number, 'order:changed', card.payload from card, counter
    )
    select id, shipment_method, payment_method, branch_id, location_label, raw_address, paid, scheduled_at, latitude,
           longitude, zone_id, branch_name, zone_price, zone_branch_id, zone_branch_name
    from card`,
};

interface CardRow {
  readonly id: number;
  readonly shipment_method: string;
  readonly payment_method: string;
  readonly branch_id: number;
  readonly location_label: string;
  readonly raw_address: string;
  readonly paid: boolean;
  readonly scheduled_at: Date;
  readonly latitude: number;
  readonly longitude: number;
  readonly zone_id: number;
  readonly branch_name: string;
  readonly zone_price: string;
  readonly zone_branch_id: number;
  readonly zone_branch_name: string;
}

export const bare: BareHandler = async ({ transaction }) => {
  const add = (given: ReturnType<typeof JSON.parse>): Promise<string> =>
    transaction(async (query) => {
      const { empresa_id: business, orderId, articleId, quantity, extras } = given;
      const columns = ["id", "customPrice", "picked"].map((name) =>
        extras.map((extra: Record<string, unknown>) => extra[name] ?? null),
      );
      await query(writeAddition, [business, orderId, articleId, quantity, ...columns]);
      await query(logCard, [business, orderId]);
      return addedText;
    });
  const update = (given: ReturnType<typeof JSON.parse>): Promise<string> =>
    transaction(async (query) => {
      const { empresa_id: business, orderId } = given;
      await query(writeUpdate, [
        business,
        orderId,
        given.shipmentMethod,
        given.paymentMethod,
        given.sucursalId,
        given.location_picked,
        given.raw_adress,
        given.paid,
        given.scheduleAt,
        given.lat,
        given.lng,
        given.zoneId,
      ]);
      const [row] = await query<CardRow>(logCard, [business, orderId]);
      if (!row) throw new Error("no such order");
      return JSON.stringify({
        order: {
          id: row.id,
          shipment_method: row.shipment_method,
          payment_method: row.payment_method,
          sucursal_id: row.branch_id,
          location_picked: row.location_label,
          raw_adress: row.raw_address,
          paid: row.paid,
          schedule_at: row.scheduled_at.toISOString(),
          lat: row.latitude,
          lng: row.longitude,
          zone_id: row.zone_id,
          sucursal: { id: row.branch_id, nombre: row.branch_name },
          zona: {
            id: row.zone_id,
            precio: row.zone_price,
            sucursal: { id: row.zone_branch_id, nombre: row.zone_branch_name },
          },
        },
      });
    });
  return async (text) => {
    const given = JSON.parse(text);
    return "articleId" in given ? await add(given) : await update(given);
  };
};
