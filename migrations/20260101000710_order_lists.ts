import type { Knex } from "knex";
import { dropExtensions, operatorsOfParts } from "./extensions.ts";

/** The counts of orders that a statement changed: +1 for added rows, -1 for removed ones. */
const countedRows = (table: "added" | "removed") => `
  select business_id, coalesce(support_user_id, 0) as agent_id, tab, coalesce(branch_id, 0) as branch_id,
         (created_at at time zone 'UTC')::date as day, ${table === "added" ? 1 : -1} as n
  from ${table}`;

/**
 * Updates counters once per statement, only where they change, and in the order of their keys to prevent deadlocks. A
 * counter that was deleted with its business is not recreated.
 */
const countingFunction = (name: string, tables: readonly ("added" | "removed")[]) => `
  create function ${name}() returns trigger language plpgsql as $$
  begin
    insert into order_counts as known (business_id, agent_id, tab, branch_id, n)
    select business_id, counted.agent_id, tab, branch_id, sum(n)
    from (${tables.map(countedRows).join(" union all ")}) as changed
    cross join lateral (select 0 as agent_id union all select agent_id where agent_id <> 0) as counted
    group by business_id, counted.agent_id, tab, branch_id
    having sum(n) > 0 or sum(n) < 0 and exists (
      select from order_counts as held
      where held.business_id = changed.business_id and held.agent_id = counted.agent_id and held.tab = changed.tab
        and held.branch_id = changed.branch_id)
    order by 1, 2, 3, 4
    on conflict (business_id, agent_id, tab, branch_id) do update set n = known.n + excluded.n;

    insert into order_day_counts as known (business_id, tab, day, branch_id, n)
    select business_id, tab, day, branch_id, sum(n)
    from (${tables.map(countedRows).join(" union all ")}) as changed
    group by business_id, tab, day, branch_id
    having sum(n) > 0 or sum(n) < 0 and exists (
      select from order_day_counts as held
      where held.business_id = changed.business_id and held.tab = changed.tab and held.day = changed.day
        and held.branch_id = changed.branch_id)
    order by 1, 2, 3, 4
    on conflict (business_id, tab, day, branch_id) do update set n = known.n + excluded.n;
    return null;
  end $$;`;

/**
 * Lists of orders take the same time for any number of orders: there is an index per kind of list, and counters.
 *
 * Triggers update the counters. A counter is locked until the commit, so changes that move a business's orders between
 * tabs, branches, agents or days run one after the other, as its events do anyway.
 */
export async function up(db: Knex): Promise<void> {
  const operators = await operatorsOfParts(db);
  await db.raw(`
    alter table orders
      -- What a tab of the listing shows: on the way are 2 and 3.
      add column tab smallint generated always as (case when status = 3 then 2 else status end) stored,
      -- Whom the order's chat is assigned to; kept the same by triggers.
      add column support_user_id bigint;
    update orders set support_user_id = chat.support_user_id
      from chats as chat where chat.business_id = orders.business_id and chat.id = orders.chat_id;

    -- Each finds a page, and counts, without reading an order.
    create index orders_newest on orders (business_id, created_at desc, id desc) include (tab);
    create index orders_of_tab on orders (business_id, tab, created_at desc, id desc);
    create index orders_of_branch on orders (business_id, branch_id, created_at desc, id desc) include (tab);
    create index orders_of_branch_tab on orders (business_id, branch_id, tab, created_at desc, id desc);
    create index orders_of_agent on orders (business_id, support_user_id, created_at desc, id desc)
      include (tab, branch_id);

    create index contacts_by_name_part on contacts using gin (business_id, name ${operators});
    create index contacts_by_phone_part on contacts using gin (business_id, phone ${operators});

    -- The agent 0 counts the orders of all, the branch 0 those of none. No index on n, and room in each page: a count
    -- is then written in place.
    create table order_counts (
      business_id bigint not null references businesses on delete cascade,
      agent_id bigint not null,
      tab smallint not null,
      branch_id bigint not null,
      n bigint not null,
      primary key (business_id, agent_id, tab, branch_id)
    ) with (fillfactor = 50);
    -- By the day of creation in UTC; the hours at both ends of a period are counted by an index.
    create table order_day_counts (
      business_id bigint not null references businesses on delete cascade,
      tab smallint not null,
      day date not null,
      branch_id bigint not null,
      n bigint not null,
      primary key (business_id, tab, day, branch_id)
    ) with (fillfactor = 80);

    ${countingFunction("count_added_orders", ["added"])}
    ${countingFunction("count_changed_orders", ["added", "removed"])}
    ${countingFunction("count_removed_orders", ["removed"])}
    create function count_no_orders() returns trigger language plpgsql as $$
    begin
      truncate order_counts, order_day_counts;
      return null;
    end $$;

    insert into order_counts (business_id, agent_id, tab, branch_id, n)
    select business_id, agent_id, tab, coalesce(branch_id, 0), count(*)
    from orders
    cross join lateral (select 0 as agent_id union all select support_user_id where support_user_id is not null) as agent
    group by 1, 2, 3, 4;
    insert into order_day_counts (business_id, tab, day, branch_id, n)
    select business_id, tab, (created_at at time zone 'UTC')::date, coalesce(branch_id, 0), count(*)
    from orders group by 1, 2, 3, 4;

    create trigger orders_counted_added after insert on orders
      referencing new table as added for each statement execute function count_added_orders();
    create trigger orders_counted_changed after update on orders
      referencing new table as added old table as removed for each statement execute function count_changed_orders();
    create trigger orders_counted_removed after delete on orders
      referencing old table as removed for each statement execute function count_removed_orders();
    create trigger orders_counted_truncated after truncate on orders
      for each statement execute function count_no_orders();

    -- Locks the chat, or an assignment under way would not see the order, nor the order the assignment.
    create function take_support_user() returns trigger language plpgsql as $$
    begin
      new.support_user_id := null;
      if new.chat_id is not null then
        select support_user_id into new.support_user_id from chats
        where business_id = new.business_id and id = new.chat_id for no key update;
      end if;
      return new;
    end $$;
    create trigger orders_take_support_user before insert or update of business_id, chat_id, support_user_id on orders
      for each row execute function take_support_user();

    create function give_support_user() returns trigger language plpgsql as $$
    begin
      update orders set support_user_id = new.support_user_id
      where business_id = new.business_id and chat_id = new.id
        and support_user_id is distinct from new.support_user_id;
      return null;
    end $$;
    create trigger chats_give_support_user after update on chats
      for each row when (old.support_user_id is distinct from new.support_user_id)
      execute function give_support_user();
  `);
}

/** Drops the extensions, too, unless something else uses them. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger chats_give_support_user on chats;
    drop trigger orders_take_support_user on orders;
    drop trigger orders_counted_added on orders;
    drop trigger orders_counted_changed on orders;
    drop trigger orders_counted_removed on orders;
    drop trigger orders_counted_truncated on orders;
    drop function give_support_user, take_support_user, count_no_orders, count_removed_orders, count_changed_orders,
      count_added_orders;
    drop table order_day_counts, order_counts;
    drop index contacts_by_phone_part, contacts_by_name_part, orders_of_agent, orders_of_branch_tab, orders_of_branch,
      orders_of_tab, orders_newest;
    alter table orders drop column support_user_id, drop column tab;
  `);
  await dropExtensions(db);
}
