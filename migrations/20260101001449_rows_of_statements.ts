import type { Knex } from "knex";

/**
 * Triggers that see all rows of a statement read them first, and write then: Citus knows such rows in no statement that also
 * speaks of a table.
 */

/** What is counted of an order, from the rows that a statement added (+1) or removed (-1). */
const countedRows = (table: "added" | "removed") => `
  select business_id, coalesce(support_user_id, 0) as agent_id, tab, coalesce(branch_id, 0) as branch_id,
         (created_at at time zone 'UTC')::date as day, ${table === "added" ? 1 : -1} as n
  from ${table}`;

/** Adds to counters in the order of their keys. One that is gone already, with its business, stays gone. */
const adding = (table: string, keys: readonly string[]) => `
    if counted.n > 0 then
      insert into ${table} as known (${keys.join(", ")}, n)
      values (${keys.map((key) => `counted.${key}`).join(", ")}, counted.n)
      on conflict (${keys.join(", ")}) do update set n = known.n + excluded.n;
    else
      update ${table} as known set n = known.n + counted.n
      where ${keys.map((key) => `known.${key} = counted.${key}`).join(" and ")};
    end if;`;

const countingFunction = (name: string, tables: readonly ("added" | "removed")[]) => `
  create or replace function ${name}() returns trigger language plpgsql as $$
  declare
    counted record;
  begin
    for counted in
      select business_id, counter.agent_id, tab, branch_id, sum(n) as n
      from (${tables.map(countedRows).join(" union all ")}) as changed
      cross join lateral (select 0 as agent_id union all select agent_id where agent_id <> 0) as counter
      group by business_id, counter.agent_id, tab, branch_id having sum(n) <> 0
      order by 1, 2, 3, 4
    loop ${adding("order_counts", ["business_id", "agent_id", "tab", "branch_id"])}
    end loop;
    for counted in
      select business_id, tab, day, branch_id, sum(n) as n
      from (${tables.map(countedRows).join(" union all ")}) as changed
      group by business_id, tab, day, branch_id having sum(n) <> 0
      order by 1, 2, 3, 4
    loop ${adding("order_day_counts", ["business_id", "tab", "day", "branch_id"])}
    end loop;
    return null;
  end $$;`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    ${countingFunction("count_added_orders", ["added"])}
    ${countingFunction("count_changed_orders", ["added", "removed"])}
    ${countingFunction("count_removed_orders", ["removed"])}

    create or replace function mark_registrations() returns trigger language plpgsql as $$
    declare
      late record;
    begin
      if tg_op <> 'DELETE' then
        for late in
          select distinct business_id, date_bin('15 minutes', at, 'epoch') as at from new_rows
          where at < now() - interval '15 minutes'
        loop
          perform mark_report(late.business_id, late.at);
        end loop;
      end if;
      if tg_op <> 'INSERT' then
        for late in
          select distinct business_id, date_bin('15 minutes', at, 'epoch') as at from old_rows
          where at < now() - interval '15 minutes'
        loop
          perform mark_report(late.business_id, late.at);
        end loop;
      end if;
      return null;
    end $$;

    create or replace function keep_chat_state() returns trigger language plpgsql as $$
    declare
      businesses bigint[];
      chat_ids bigint[];
      present text;
    begin
      select array_agg(business_id), array_agg(chat_id) into businesses, chat_ids
      from (select distinct business_id, chat_id from changed) as given;
      if cardinality(chat_ids) = 1 then
        select coalesce(max(state), 'closed') into present from conversations
        where business_id = businesses[1] and chat_id = chat_ids[1] and closed_at is null;
        update chats set state = present
        where business_id = businesses[1] and id = chat_ids[1] and state <> present;
        return null;
      end if;
      update chats as chat set state = differing.state
      from (
        select chat.business_id, chat.id, coalesce(open.state, 'closed') as state
        from unnest(businesses, chat_ids) as given(business_id, chat_id)
        join chats as chat on chat.business_id = given.business_id and chat.id = given.chat_id
        left join conversations as open
          on open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
        where chat.state <> coalesce(open.state, 'closed')
        order by chat.business_id, chat.id
        for no key update of chat
      ) as differing
      where chat.business_id = differing.business_id and chat.id = differing.id;
      return null;
    end $$;
  `);
}

/** The functions do the same as before. */
export async function down(): Promise<void> {}
