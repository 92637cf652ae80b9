import type { Knex } from "knex";

/**
 * Changes of a user's view by role, department or flag are logged as events, so that clients which were away learn of
 * them. The event is logged at the end of the transaction, since its counter must be locked last. Without earlier
 * events of the business, no client can have missed anything.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The arguments name the columns that hold the business and the user; without the second it is about all users.
    create function log_view_change() returns trigger language plpgsql as $$
    declare
      changed record;
      next bigint;
    begin
      for changed in
        select distinct (line ->> tg_argv[0])::bigint as business, (line ->> tg_argv[1])::bigint as "user"
        from (values (to_jsonb(old)), (to_jsonb(new))) as touched(line) where line is not null
        order by 1, 2
      loop
        update realtime_counters set last_number = last_number + 1 where business_id = changed.business
        returning last_number into next;
        if found then
          insert into realtime_events (business_id, number, name, payload)
          values (changed.business, next, 'view:changed', jsonb_build_object('userId', changed."user"));
        end if;
      end loop;
      return null;
    end $$;
    create constraint trigger department_agents_logged after insert or update or delete on department_agents
      deferrable initially deferred for each row execute function log_view_change('business_id', 'user_id');
    create constraint trigger users_role_logged after update of role_id on users
      deferrable initially deferred for each row when ((old.role_id = 1) <> (new.role_id = 1))
      execute function log_view_change('business_id', 'id');
    create constraint trigger businesses_agents_see_logged after update of feature_flags on businesses
      deferrable initially deferred for each row
      when (old.feature_flags -> 'agents_see' is distinct from new.feature_flags -> 'agents_see')
      execute function log_view_change('id');
  `);
}

export async function down(db: Knex): Promise<void> {
  // Older versions do not know these events and make their clients reload, so the events may stay.
  await db.raw(`
    drop trigger businesses_agents_see_logged on businesses;
    drop trigger users_role_logged on users;
    drop trigger department_agents_logged on department_agents;
    drop function log_view_change;
  `);
}
