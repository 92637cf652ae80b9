import type { Knex } from "knex";

/** People write feature flags, so an unusable value counts as a missing one. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create function business_zone(flags jsonb) returns text language plpgsql stable parallel safe as $$
    begin
      perform now() at time zone (flags ->> 'timezone');
      return coalesce(flags ->> 'timezone', 'America/La_Paz');
    exception when invalid_parameter_value then
      return 'America/La_Paz';
    end $$;

    create function monthly_template_limit(flags jsonb) returns bigint language sql immutable parallel safe as $$
      select case when flags ->> 'monthly_template_limit' ~ '^[0-9]{1,15}$'
                  then (flags ->> 'monthly_template_limit')::bigint end
    $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop function monthly_template_limit, business_zone");
}
