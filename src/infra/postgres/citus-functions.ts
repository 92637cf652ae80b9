/**
 * Trigger functions for Citus, in place of those that migrations create. Citus refuses a statement that reads both the
 * changed rows of a trigger and a table, so here one statement reads the rows and others work on tables. The results
 * are the same. On plain PostgreSQL these functions are slower: writing conversations one by one takes up to 2.5 times
 * as long.
 */
export const citusFunctions: readonly string[] = [
  countingFunction("count_added_orders", ["added"]),
  countingFunction("count_changed_orders", ["added", "removed"]),
  countingFunction("count_removed_orders", ["removed"]),
  `create or replace function keep_chat_state() returns trigger language plpgsql as $$
  declare
    businesses bigint[];
    chat_ids bigint[];
  begin
    select array_agg(business_id), array_agg(chat_id) into businesses, chat_ids
    from (select distinct business_id, chat_id from changed) as given;
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
  end $$`,
  // Citus refuses functions in the language SQL if they have arguments, so this function is in PL/pgSQL.
  `create or replace function mark_report(of_business bigint, at timestamptz) returns void language plpgsql as $$
  begin
    if exists (select 1 from businesses where id = of_business) then
      insert into report_marks (business_id, at) values (of_business, date_bin('15 minutes', at, 'epoch'));
    end if;
  end $$`,
  `create or replace function mark_registrations() returns trigger language plpgsql as $$
  declare
    late record;
  begin
    if tg_op <> 'DELETE' then
      for late in ${lateIn("new_rows")} loop perform mark_report(late.business_id, late.at); end loop;
    end if;
    if tg_op <> 'INSERT' then
      for late in ${lateIn("old_rows")} loop perform mark_report(late.business_id, late.at); end loop;
    end if;
    return null;
  end $$`,
];

function lateIn(rows: string): string {
  return `
    select distinct business_id, date_bin('15 minutes', at, 'epoch') as at from ${rows}
    where at < now() - interval '15 minutes'`;
}

/** The function changes counters in the order of their keys, so that two writers never cause a deadlock. */
function countingFunction(name: string, rows: readonly ("added" | "removed")[]): string {
  const changed = rows
    .map(
      (each) => `
      select business_id, coalesce(support_user_id, 0) as agent_id, tab, coalesce(branch_id, 0) as branch_id,
             (created_at at time zone 'UTC')::date as day, ${each === "added" ? 1 : -1} as n
      from ${each}`,
    )
    .join(" union all ");
  return `create or replace function ${name}() returns trigger language plpgsql as $$
  declare
    counted record;
  begin
    for counted in
      select business_id, counter.agent_id, tab, branch_id, sum(n) as n
      from (${changed}) as changed
      cross join lateral (select 0 as agent_id union all select agent_id where agent_id <> 0) as counter
      group by business_id, counter.agent_id, tab, branch_id having sum(n) <> 0
      order by 1, 2, 3, 4
    loop ${count("order_counts", ["business_id", "agent_id", "tab", "branch_id"])} end loop;
    for counted in
      select business_id, tab, day, branch_id, sum(n) as n
      from (${changed}) as changed
      group by business_id, tab, day, branch_id having sum(n) <> 0
      order by 1, 2, 3, 4
    loop ${count("order_day_counts", ["business_id", "tab", "day", "branch_id"])} end loop;
    return null;
  end $$`;
}

/** A decrease inserts nothing: a counter that was deleted with its business must not come back. */
function count(table: string, key: readonly string[]): string {
  const columns = key.join(", ");
  return `
      if counted.n > 0 then
        insert into ${table} as known (${columns}, n)
        values (${key.map((column) => `counted.${column}`).join(", ")}, counted.n)
        on conflict (${columns}) do update set n = known.n + excluded.n;
      else
        update ${table} as known set n = known.n + counted.n
        where ${key.map((column) => `known.${column} = counted.${column}`).join(" and ")};
      end if;`;
}
