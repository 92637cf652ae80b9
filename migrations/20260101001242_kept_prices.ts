import type { Knex } from "knex";

/**
 * Orders keep the names and prices of their articles, extras and zone as they were when they were added. Existing
 * orders get today's.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table order_lines add column name text, add column unit_price numeric(14, 2);
    alter table order_lines add constraint order_lines_unit_price_check check (unit_price >= 0);
    alter table line_extras add column charge numeric(14, 2);
    alter table line_extras add constraint line_extras_charge_check check (charge >= 0);
    alter table orders add column zone_price numeric(14, 2);
    alter table orders add constraint orders_zone_price_check check (zone_price >= 0);

    update order_lines as line set name = article.name, unit_price = article.price
    from articles as article where article.business_id = line.business_id and article.id = line.article_id;
    update line_extras as line_extra set charge = extra.charge
    from article_extras as extra where extra.business_id = line_extra.business_id and extra.id = line_extra.extra_id;
  `);
  // Disables the triggers, since no visible or counted field of the orders changes.
  await db.raw(`
    alter table orders disable trigger user;
    update orders as o set zone_price = zone.price
    from zones as zone where zone.business_id = o.business_id and zone.id = o.zone_id;
    alter table orders enable trigger user;
  `);
  await db.raw(`
    alter table order_lines alter column name set not null, alter column unit_price set not null;
    alter table line_extras alter column charge set not null;
    alter table orders add constraint orders_zone_price_check_zone check ((zone_price is null) = (zone_id is null));

    create function keep_article() returns trigger language plpgsql as $$
    begin
      select coalesce(new.name, article.name), coalesce(new.unit_price, article.price)
      into new.name, new.unit_price
      from articles as article where article.business_id = new.business_id and article.id = new.article_id;
      return new;
    end $$;
    create trigger order_lines_keep_article before insert on order_lines
      for each row when (new.name is null or new.unit_price is null) execute function keep_article();

    create function keep_charge() returns trigger language plpgsql as $$
    begin
      select extra.charge into new.charge
      from article_extras as extra where extra.business_id = new.business_id and extra.id = new.extra_id;
      return new;
    end $$;
    create trigger line_extras_keep_charge before insert on line_extras
      for each row when (new.charge is null) execute function keep_charge();

    -- An order that is given the zone which it has keeps the price that it has.
    create function keep_zone_price() returns trigger language plpgsql as $$
    begin
      select zone.price into new.zone_price
      from zones as zone where zone.business_id = new.business_id and zone.id = new.zone_id;
      return new;
    end $$;
    create trigger orders_keep_zone_price_added before insert on orders
      for each row when (new.zone_id is not null and new.zone_price is null) execute function keep_zone_price();
    create trigger orders_keep_zone_price_changed before update of zone_id on orders
      for each row when (new.zone_id is distinct from old.zone_id) execute function keep_zone_price();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger orders_keep_zone_price_changed on orders;
    drop trigger orders_keep_zone_price_added on orders;
    drop trigger line_extras_keep_charge on line_extras;
    drop trigger order_lines_keep_article on order_lines;
    drop function keep_zone_price();
    drop function keep_charge();
    drop function keep_article();
    alter table orders drop column zone_price;
    alter table line_extras drop column charge;
    alter table order_lines drop column unit_price, drop column name;
  `);
}
