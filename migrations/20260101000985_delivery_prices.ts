import type { Knex } from "knex";

/** Whether the delivery-pricing service must be asked about an order. */
const wanting = (order: string): string => `
  ${order}.speedy_price is null and ${order}.status in (1, 2, 3, 8) and ${order}.shipment_method = 'delivery'
  and ${order}.zone_id is not null and ${order}.latitude is not null and ${order}.longitude is not null`;

const delivery = (order: string): string =>
  ["shipment_method", "branch_id", "zone_id", "latitude", "longitude"].map((column) => `${order}.${column}`).join(", ");

/** Requests the price again for a known order, unless a request is running. */
const again = `
  on conflict (business_id, order_id) do update
  set attempts = 0, due_at = greatest(now(), known.leased_until)`;

/** Triggers mark the orders, whatever changes them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Orders whose delivery is to be priced. A delivery coupon may make it free all the same: whoever asks looks.
    create table wanted_delivery_prices (
      business_id bigint not null,
      order_id bigint not null,
      -- Since the delivery was last changed.
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      -- Until when whoever took it may be asking.
      leased_until timestamptz,
      primary key (business_id, order_id),
      foreign key (business_id, order_id) references orders on delete cascade
    );
    create index wanted_delivery_prices_by_due on wanted_delivery_prices (due_at);

    with wanting as materialized (
      select o.business_id, o.id from orders as o where ${wanting("o")}
    )
    insert into wanted_delivery_prices (business_id, order_id) select business_id, id from wanting;

    create function want_delivery_price() returns trigger language plpgsql as $$
    begin
      insert into wanted_delivery_prices as known (business_id, order_id) values (new.business_id, new.id) ${again};
      return null;
    end $$;
    create trigger orders_want_price_added after insert on orders
      for each row when (${wanting("new")}) execute function want_delivery_price();
    create trigger orders_want_price_changed after update on orders
      for each row when (
        ${wanting("new")}
        and ((${delivery("old")}) is distinct from (${delivery("new")}) or old.status not in (1, 2, 3, 8))
      ) execute function want_delivery_price();

    create function want_delivery_price_without_coupon() returns trigger language plpgsql as $$
    begin
      insert into wanted_delivery_prices as known (business_id, order_id)
      select o.business_id, o.id from orders as o
      where o.business_id = old.business_id and o.id = old.order_id and ${wanting("o")} ${again};
      return null;
    end $$;
    create trigger order_lines_want_price after delete on order_lines
      for each row when (old.type = 'delivery_coupon') execute function want_delivery_price_without_coupon();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger order_lines_want_price on order_lines;
    drop trigger orders_want_price_changed on orders;
    drop trigger orders_want_price_added on orders;
    drop function want_delivery_price_without_coupon, want_delivery_price;
    drop table wanted_delivery_prices;
  `);
}
