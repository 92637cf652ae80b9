import type { Knex } from "knex";

/** Triggers notify the sockets when agents' views change. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The argument names the column that holds the business.
    create function announce_view_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('views_changed', coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[0]);
      return null;
    end $$;
    create trigger department_agents_changed after insert or update or delete on department_agents
      for each row execute function announce_view_change('business_id');
    create trigger businesses_agents_see_changed after update of feature_flags on businesses
      for each row when (old.feature_flags -> 'agents_see' is distinct from new.feature_flags -> 'agents_see')
      execute function announce_view_change('id');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger businesses_agents_see_changed on businesses;
    drop trigger department_agents_changed on department_agents;
    drop function announce_view_change;
  `);
}
